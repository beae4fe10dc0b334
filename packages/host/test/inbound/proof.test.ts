import { createHmac } from 'node:crypto';
import { sign as signGithub } from '@octokit/webhooks-methods';
import type { Webhook } from 'patchbay-sdk';
import { Webhook as Standard } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { hex, nowS, refused, serving } from './fixture.ts';

const body = '{"ref":"refs/heads/main","text":"grüße"}';
const key = 'whsec_c2VjcmV0IG9mIHR3ZW50eS1mb3VyIGJ5dGVz';
const older = 'whsec_b2xkZXIgc2VjcmV0IG9mIHR3ZW50eS1mb3VyIGJ5dGVz';
type Headers = Record<string, string>;

function standard(secret: string, offsetS = 0): Headers {
  const at = new Date(Date.now() + offsetS * 1000);
  const id = 'msg_1';
  const signature = new Standard(secret).sign(id, at, body);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,bm9uc2Vuc2U= ${signature}`,
  };
}
const slack = (secret: string, offsetS = 0): Headers => {
  const time = nowS(offsetS);
  return { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hex(secret, `v0:${time}:${body}`)}` };
};
const timed = (secret: string, offsetS = 0): Headers => {
  const time = nowS(offsetS);
  const digest = createHmac('sha512', secret).update(`${time}.${body}`).digest('base64');
  return { 'x-time': time, 'x-sum': `v1=${digest}`, 'x-id': '7' };
};

interface Case {
  readonly proof: NonNullable<Webhook['proof']>;
  /** Headers that prove it with a secret, sent so many seconds from now. */
  readonly sign: (secret: string, offsetS?: number) => Headers | Promise<Headers>;
  readonly secrets: readonly [string, string];
  /** The header that holds the proof, and whether a time is signed. */
  readonly header: string;
  readonly timed: boolean;
  readonly id: string | null;
}

const secrets = ['new secret', 'old secret'] as const;
const cases: Record<string, Case> = {
  standard: {
    proof: { scheme: 'standard', secrets: [key, older] },
    sign: standard,
    secrets: [key, older],
    header: 'webhook-signature',
    timed: true,
    id: 'msg_1',
  },
  github: {
    proof: { scheme: 'github', secrets: [...secrets] },
    sign: async (secret) => ({
      'x-hub-signature-256': await signGithub(secret, body),
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    }),
    secrets,
    header: 'x-hub-signature-256',
    timed: false,
    id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  },
  gitlab: {
    proof: { scheme: 'gitlab', secrets: [...secrets] },
    sign: (secret) => ({ 'x-gitlab-token': secret, 'idempotency-key': 'f5e5f430', 'x-gitlab-event-uuid': '1379' }),
    secrets,
    header: 'x-gitlab-token',
    timed: false,
    id: 'f5e5f430',
  },
  slack: {
    proof: { scheme: 'slack', secrets: [...secrets] },
    sign: slack,
    secrets,
    header: 'x-slack-signature',
    timed: true,
    id: null,
  },
  bearer: {
    proof: { scheme: 'bearer', secrets: [...secrets] },
    sign: (secret) => ({ authorization: `Bearer ${secret}` }),
    secrets,
    header: 'authorization',
    timed: false,
    id: null,
  },
  'plain hmac': {
    proof: { scheme: 'hmac', secrets: [...secrets] },
    sign: (secret) => ({ 'x-signature': hex(secret, body).toUpperCase() }),
    secrets,
    header: 'x-signature',
    timed: false,
    id: null,
  },
  'hmac with everything': {
    proof: {
      scheme: 'hmac',
      secrets: [...secrets],
      header: 'X-Sum',
      algorithm: 'sha512',
      encoding: 'base64',
      prefix: 'v1=',
      idHeader: 'X-Id',
      timeHeader: 'X-Time',
    },
    sign: timed,
    secrets,
    header: 'x-sum',
    timed: true,
    id: '7',
  },
};

describe.each(Object.entries(cases))('a sender that proves itself by %s', (_, { proof, sign, header, ...its }) => {
  const start = async () => {
    const handled: { headers: Readonly<Record<string, string>> }[] = [];
    const handle: Webhook['handle'] = (request) => {
      handled.push(request);
      return undefined;
    };
    return { ...(await serving({ hook: () => [{ path: '/in', proof, handle }] })), handled };
  };

  it('is taken with any of the secrets, and what proves it reaches neither handler nor ledger', async () => {
    const at = await start();
    for (const secret of its.secrets) expect((await at.post('/in', body, await sign(secret))).status).toBe(200);
    const [event] = await at.received();
    expect(event?.payload).toMatchObject({ delivery_id: its.id, body });
    for (const { headers } of at.handled) expect(headers).not.toHaveProperty(header);
    expect(event?.payload).not.toHaveProperty(['headers', header]);
  });

  it('is not taken with another secret, another body, a cut proof, or none', async () => {
    const at = await start();
    const good = await sign(its.secrets[0]);
    const proven = String(good[header]);
    const { [header]: __, ...without } = good;
    const other = its.secrets[0].startsWith('whsec_') ? 'whsec_YW5vdGhlciBzZWNyZXQgb2Y=' : 'another';
    const bad = [
      without,
      await sign(other),
      ...['', proven.slice(0, -4), `${proven}0`].map((it) => ({ ...good, [header]: it })),
    ];
    for (const headers of bad) {
      expect(await refused(await at.post('/in', body, headers))).toEqual([401, 'UNVERIFIED']);
    }
    const isSigned = header !== 'authorization' && header !== 'x-gitlab-token';
    if (isSigned) expect(await refused(await at.post('/in', `${body} `, good))).toEqual([401, 'UNVERIFIED']);
    expect(at.handled).toEqual([]);
    expect(await at.received()).toEqual([]);
  });

  it('is not taken from outside the window of five minutes, if it says when it sent', async () => {
    const at = await start();
    const expected = its.timed ? 401 : 200;
    for (const offset of [-310, 310]) {
      const answer = await at.post('/in', body, await sign(its.secrets[0], offset));
      expect(answer.status).toBe(expected);
      if (its.timed) expect(await refused(answer)).toEqual([401, 'STALE']);
    }
    expect((await at.post('/in', body, await sign(its.secrets[0], -290))).status).toBe(200);
  });

  it('has the same request handled once if it can be told that it is the same', async () => {
    const at = await start();
    const headers = await sign(its.secrets[0]);
    for (let i = 0; i < 3; i++) expect((await at.post('/in', body, headers)).status).toBe(200);
    expect(at.handled).toHaveLength(its.id === null && !its.timed ? 3 : 1);
  });
});

describe('senders with numbers of a special kind', () => {
  it('Slack: a retry is signed anew, but about the same event', async () => {
    const at = await serving({
      hook: () => [{ path: '/in', proof: cases['slack']?.proof as never, handle: () => undefined }],
    });
    const event = '{"event_id":"Ev1"}';
    const send = (time: string) => {
      const signature = `v0=${hex(secrets[0], `v0:${time}:${event}`)}`;
      return at.post('/in', event, { 'x-slack-request-timestamp': time, 'x-slack-signature': signature });
    };
    expect((await send(nowS(-2))).headers.get('idempotent-replayed')).toBeNull();
    expect((await send(nowS())).headers.get('idempotent-replayed')).toBe('true');
    expect((await at.received())[0]?.payload).toMatchObject({ delivery_id: 'Ev1' });
  });

  it('GitLab: events that a webhook has caused share an id, and are not the same', async () => {
    const at = await serving({
      hook: () => [{ path: '/in', proof: cases['gitlab']?.proof as never, handle: () => undefined }],
    });
    const headers = { 'x-gitlab-token': secrets[0], 'x-gitlab-event-uuid': 'u' };
    for (const n of [1, 1, 2]) expect((await at.post('/in', { n }, headers)).status).toBe(200);
    expect(await at.received()).toHaveLength(2);
  });
});
