import type { GitHubClient } from './client.ts';

/** How the checks of a commit stand. */
export type Checked = 'success' | 'failure' | 'pending' | 'none';

interface Status {
  readonly state?: string;
}
interface CheckRun {
  readonly status?: string;
  readonly conclusion?: string | null;
}

const bad = new Set(['failure', 'error', 'timed_out', 'cancelled', 'action_required', 'startup_failure', 'stale']);

/** Looks at both kinds of checks that GitHub has: statuses, and runs of checks. */
export async function checksOf(client: GitHubClient, commit: string): Promise<Checked> {
  const at = `/commits/${encodeURIComponent(commit)}`;
  const listed = (name: string) => (json: unknown) => (json as Record<string, unknown[]>)[name] ?? [];
  const [statuses, runs] = (await Promise.all([
    client.all(`${at}/status?per_page=100`, { permission: 'commit statuses: read' }, listed('statuses')),
    client.all(`${at}/check-runs?per_page=100`, { permission: 'checks: read' }, listed('check_runs')),
  ])) as [Status[], CheckRun[]];
  if (statuses.length + runs.length === 0) return 'none';
  const ends = [
    ...statuses.map(({ state }) => state ?? 'pending'),
    ...runs.map(({ status, conclusion }) => (status === 'completed' ? (conclusion ?? 'pending') : 'pending')),
  ];
  if (ends.some((end) => bad.has(end))) return 'failure';
  return ends.includes('pending') ? 'pending' : 'success';
}
