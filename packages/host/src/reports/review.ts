import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf, type Platform } from 'patchbay-sdk';
import type { ReviewSettings } from '../config/reporting.ts';
import type { RunState } from '../runs/state.ts';
import { git } from '../workspaces/git.ts';
import { reportOf } from './report.ts';

const pushMs = 60_000;

/** Asks people to review what a run has made. Gives what came of it, in words; rejects if it cannot be asked for. */
export async function requestReview(
  project: string,
  platform: Platform,
  state: RunState,
  { push, checksMs }: ReviewSettings,
): Promise<string> {
  const branch = `patchbay/${state.run_id}`;
  const commit = await commitOf(project, branch);
  if (commit === undefined) return 'there is no branch to review';
  if (push !== null) await pushTo(project, push, branch);
  const { url } = await platform.openReview({ key: state.run_id, branch, ...textOf(state) });
  const asked = `review asked for on ${platform.name}: ${url}`;
  if (checksMs === null) return asked;
  return `${asked}; checks of ${commit.slice(0, 12)}: ${await platform.waitForChecks(commit, checksMs)}`;
}

async function commitOf(project: string, branch: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
  return git(args, { cwd: project }).then(
    (printed) => printed.trim(),
    () => undefined,
  );
}

/** As the user would: with their settings and keys, but without questions. */
async function pushTo(project: string, remote: string, branch: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const args = ['push', '--quiet', '--force-with-lease', '--end-of-options', remote, `${ref}:${ref}`];
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  try {
    await promisify(execFile)('git', args, { cwd: project, env, timeout: pushMs, killSignal: 'SIGKILL' });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`${branch} could not be pushed to ${remote}: ${stderr?.trim() || messageOf(error)}`, {
      cause: error,
    });
  }
}

function textOf(state: RunState): { title: string; body: string } {
  const { day, goal, decision, status, turns, cost, run_id } = reportOf(state);
  const title = day === null ? goal : `Day ${day}: ${goal}`;
  const lines = turns.map(({ role, attempt, summary }) => `- **${role}** (attempt ${attempt}): ${firstLine(summary)}`);
  const body = [goal, `${decision ?? status}, $${cost.usd.toFixed(2)}, run \`${run_id}\``, lines.join('\n')].join(
    '\n\n',
  );
  return { title: title.replaceAll(/\s+/g, ' ').slice(0, 200), body };
}

function firstLine(text: string | null): string {
  return text?.split('\n', 1)[0] ?? '';
}
