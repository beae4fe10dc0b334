import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform, PlatformThing } from 'patchbay-sdk';
import { checksOf } from './checks.ts';
import { GitHubClient, GitHubError } from './client.ts';
import type { GitHubSettings } from './settings.ts';

interface Numbered {
  readonly number: number;
  readonly html_url: string;
  readonly body?: string | null;
  readonly pull_request?: unknown;
}

/** Marks what was made here, so that it is found again. */
const label = 'patchbay';
/** A commit without any check is waited for so long: checks take a moment to appear. */
const graceMs = 30_000;
const mostSummary = 1024 * 1024;

/** GitHub, over its REST interface. */
export function githubPlatform(settings: GitHubSettings, wait: (ms: number) => Promise<unknown> = sleep): Platform {
  const client = new GitHubClient(settings, wait);
  return {
    name: 'github',
    openReview: (review) => openReview(client, settings, review),
    escalate: (escalation) => escalate(client, escalation),
    setVariable: (name, value) => setVariable(client, name, value),
    writeSummary: async (markdown) => {
      // Outside of a job nobody would see it.
      if (settings.summaryFile !== undefined)
        appendFileSync(settings.summaryFile, `${markdown.slice(0, mostSummary)}\n`);
    },
    waitForChecks: (commit, timeoutMs) => waitForChecks(client, commit, timeoutMs, wait),
  };
}

function thing({ number, html_url }: Numbered): PlatformThing {
  return { id: String(number), url: html_url };
}

function marked(body: string, key: string): string {
  return `${body}\n\n${markOf(key)}\n`;
}

function markOf(key: string): string {
  return `<!-- patchbay: ${key.replaceAll('--', '- -')} -->`;
}

async function openReview(
  client: GitHubClient,
  { owner, base }: GitHubSettings,
  { key, branch, title, body }: { key: string; branch: string; title: string; body: string },
): Promise<PlatformThing> {
  const permission = 'pull requests: write';
  const head = encodeURIComponent(`${owner}:${branch}`);
  const find = async () => {
    const [open] = (await client.ask(`/pulls?state=open&head=${head}`, { permission })) as Numbered[];
    return open;
  };
  const text = { title, body: marked(body, key) };
  const update = async ({ number }: Numbered) =>
    thing((await client.ask(`/pulls/${number}`, { method: 'PATCH', body: text, permission })) as Numbered);
  const open = await find();
  if (open !== undefined) return update(open);
  try {
    const made = await client.ask('/pulls', { method: 'POST', body: { ...text, head: branch, base }, permission });
    return thing(made as Numbered);
  } catch (error) {
    // Somebody was faster.
    const other = error instanceof GitHubError && error.status === 422 ? await find() : undefined;
    if (other === undefined) throw error;
    return update(other);
  }
}

async function escalate(
  client: GitHubClient,
  { key, title, body }: { key: string; title: string; body: string },
): Promise<PlatformThing> {
  const permission = 'issues: write';
  const mark = markOf(key);
  const list = `/issues?state=all&labels=${label}&per_page=100`;
  const issues = (await client.all(list, { permission }, (json) => json as unknown[])) as Numbered[];
  const known = issues.find((issue) => issue.pull_request === undefined && issue.body?.includes(mark));
  if (known !== undefined) return thing(known);
  const issue = { title, body: marked(body, key), labels: [label] };
  return thing((await client.ask('/issues', { method: 'POST', body: issue, permission })) as Numbered);
}

async function setVariable(client: GitHubClient, name: string, value: string): Promise<void> {
  const permission = 'variables: write';
  if (!/^(?!GITHUB_)[A-Z_][A-Z0-9_]*$/i.test(name)) throw new Error(`GitHub takes no variable "${name}"`);
  try {
    await client.ask(`/actions/variables/${name}`, { method: 'PATCH', body: { name, value }, permission });
  } catch (error) {
    if (!(error instanceof GitHubError) || error.status !== 404) throw error;
    await client.ask('/actions/variables', { method: 'POST', body: { name, value }, permission });
  }
}

async function waitForChecks(
  client: GitHubClient,
  commit: string,
  timeoutMs: number,
  wait: (ms: number) => Promise<unknown>,
): Promise<'success' | 'failure' | 'timeout'> {
  let waited = 0;
  for (let pauseMs = 2000; ; pauseMs = Math.min(pauseMs * 1.5, 30_000)) {
    const checked = await checksOf(client, commit);
    if (checked === 'success' || checked === 'failure') return checked;
    if (checked === 'none' && waited >= graceMs) return 'success';
    if (waited >= timeoutMs) return 'timeout';
    const next = Math.min(pauseMs, timeoutMs - waited);
    await wait(next);
    waited += next;
  }
}
