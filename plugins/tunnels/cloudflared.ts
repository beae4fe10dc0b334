import type { Tunnel } from 'patchbay-sdk';
import { ask, has } from './ask.ts';

interface Listed {
  readonly name?: unknown;
  readonly deleted_at?: unknown;
  readonly connections?: unknown;
}

/** Cloudflare Tunnel, as `cloudflared tunnel list --output json` tells it. */
export const cloudflared: Tunnel = {
  name: 'cloudflare',
  isAvailable: () => has('cloudflared'),
  isConnected: async () => {
    const tunnels = await look();
    return Array.isArray(tunnels) && tunnels.some((tunnel) => connectionsOf(tunnel) > 0);
  },
  statusSummary: async () => {
    if (!has('cloudflared')) return 'cloudflared is not installed';
    const tunnels = await look();
    if (!Array.isArray(tunnels)) return `cloudflared: ${tunnels.problem}`;
    const up = tunnels.filter((tunnel) => connectionsOf(tunnel) > 0);
    if (up.length === 0) return `cloudflared has no connected tunnel (of ${tunnels.length})`;
    return `cloudflared is connected: ${up.map((one) => `${String(one.name)} (${connectionsOf(one)})`).join(', ')}`;
  },
};

function connectionsOf({ connections }: Listed): number {
  return Array.isArray(connections) ? connections.length : 0;
}

async function look(): Promise<Listed[] | { problem: string }> {
  const answer = await ask('cloudflared', ['tunnel', 'list', '--output', 'json']);
  if ('problem' in answer) return answer;
  // With no tunnels at all it prints null.
  if (answer.json === null) return [];
  if (!Array.isArray(answer.json)) return { problem: '"cloudflared tunnel list" printed no list' };
  const listed = answer.json.filter((one): one is Listed => typeof one === 'object' && one !== null);
  return listed.filter(({ deleted_at }) => deleted_at == null || String(deleted_at).startsWith('0001-'));
}
