import type { Tunnel } from 'patchbay-sdk';
import { ask, has } from './ask.ts';

interface Status {
  readonly BackendState?: unknown;
  readonly Health?: unknown;
  readonly Self?: { readonly DNSName?: unknown; readonly Online?: unknown; readonly TailscaleIPs?: unknown } | null;
}

/** Tailscale, as `tailscale status --json` tells it. */
export const tailscale: Tunnel = {
  name: 'tailscale',
  isAvailable: () => has('tailscale'),
  isConnected: async () => {
    const status = await look();
    return 'BackendState' in status && status.BackendState === 'Running' && status.Self?.Online !== false;
  },
  statusSummary: async () => {
    if (!has('tailscale')) return 'Tailscale is not installed';
    const status = await look();
    if ('problem' in status) return `Tailscale: ${status.problem}`;
    const { BackendState, Self, Health } = status;
    if (BackendState !== 'Running') return `Tailscale is not connected: ${String(BackendState)}`;
    const name = typeof Self?.DNSName === 'string' ? Self.DNSName.replace(/\.$/, '') : 'this machine';
    const ills = Array.isArray(Health) && Health.length > 0 ? ` (${Health.map(String).join('; ')})` : '';
    return `Tailscale ${Self?.Online === false ? 'is offline' : 'is connected'} as ${name}${ills}`;
  },
};

async function look(): Promise<(Status & { BackendState: unknown }) | { problem: string }> {
  const answer = await ask('tailscale', ['status', '--json']);
  if ('problem' in answer) return answer;
  const { json } = answer;
  if (typeof json !== 'object' || json === null || !('BackendState' in json)) {
    return { problem: '"tailscale status --json" says nothing of its state' };
  }
  return json as Status & { BackendState: unknown };
}
