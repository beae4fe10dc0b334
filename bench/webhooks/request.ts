import { createHmac } from 'node:crypto';
import { v7 } from 'uuid';

/** What all servers are sent, and where. */
export const path = '/hooks/bench';
export const key = Buffer.from('a secret of at least 24 bytes');
export const secret = `whsec_${key.toString('base64')}`;

const body = JSON.stringify({
  ref: 'refs/heads/main',
  repository: { id: 35129377, full_name: 'octo-org/octo-repo', private: false },
  commits: [{ id: '6113728f27ae82c7b1a177c8d03f9e96e0adf246', message: 'Update README.md', added: [], removed: [] }],
  sender: { login: 'octocat', id: 583231, type: 'User' },
});

/** A request as Standard Webhooks signs it, another one each time. */
export function signed() {
  // Those who send Standard Webhooks have ids that grow with time: KSUIDs most of them.
  const id = `msg_${v7()}`;
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return {
    path,
    method: 'POST' as const,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}
