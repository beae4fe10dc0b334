import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { githubPlatform } from '../github/platform.ts';
import { readSettings } from '../github/settings.ts';
import { GitHubServer } from './github-server.ts';

let server: GitHubServer;
let waits: number[];

beforeEach(async () => {
  server = await new GitHubServer().start();
  waits = [];
});
afterEach(() => server.stop());

function open({ token = 'good', repository = 'acme/site', env = {} as NodeJS.ProcessEnv } = {}) {
  const settings = readSettings({ repository, token_env: 'TOKEN', api_url: server.url }, { TOKEN: token, ...env });
  return githubPlatform(settings, async (ms) => {
    waits.push(ms);
  });
}

const review = { key: 'run-1', branch: 'patchbay/run-1', title: 'Day 3', body: 'What was done' };
const escalation = { key: 'run-1', title: 'Day 3 is held', body: 'Tests fail' };

describe('a review request', () => {
  it('is a pull request against the base branch', async () => {
    expect(await open().openReview(review)).toEqual({ id: '1', url: `${server.url}/acme/site/pull/1` });
    expect(server.pulls).toMatchObject([{ title: 'Day 3', head: 'patchbay/run-1', base: 'main' }]);
    expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer good', 'user-agent': 'patchbay' });
  });

  it('made again is the same pull request, brought up to date', async () => {
    const platform = open();
    await platform.openReview(review);
    expect(await platform.openReview({ ...review, title: 'Day 3, again' })).toMatchObject({ id: '1' });
    expect(server.pulls).toMatchObject([{ title: 'Day 3, again' }]);
  });

  it('that somebody else opened in the same moment is taken over', async () => {
    const platform = open();
    await platform.openReview(review);
    // The first look finds nothing, as if the other one came right after it.
    server.trouble.push({ status: 200, body: [] as unknown as object });
    expect(await platform.openReview({ ...review, title: 'Mine' })).toMatchObject({ id: '1' });
    expect(server.pulls).toHaveLength(1);
  });
});

describe('an escalation', () => {
  it('is an issue with a label', async () => {
    expect(await open().escalate(escalation)).toEqual({ id: '1', url: `${server.url}/acme/site/issues/1` });
    expect(server.issues).toMatchObject([{ title: 'Day 3 is held', labels: ['patchbay'] }]);
  });

  it('of the same key is found again on any page, and made once', async () => {
    const platform = open();
    await platform.escalate(escalation);
    for (let i = 0; i < 5; i++) await platform.escalate({ ...escalation, key: `other-${i}` });
    server.pageSize = 2;
    server.issues.reverse();
    expect(await platform.escalate(escalation)).toMatchObject({ id: '1' });
    expect(server.issues).toHaveLength(6);
  });

  it('is not mistaken for a pull request that quotes it', async () => {
    const platform = open();
    const { id } = await platform.escalate(escalation);
    const quoted = server.issues[0] as (typeof server.issues)[number];
    server.issues[0] = { ...quoted, pull_request: {} };
    expect(id).toBe('1');
    expect(await platform.escalate(escalation)).toMatchObject({ id: '2' });
  });
});

describe('a variable', () => {
  it('is made, then changed', async () => {
    const platform = open();
    await platform.setVariable('PACE_PAUSED', 'true');
    await platform.setVariable('PACE_PAUSED', 'false');
    expect([...server.variables]).toEqual([['PACE_PAUSED', 'false']]);
  });

  it.each(['GITHUB_X', '1X', 'a-b', '../x', ''])('may not be called %j', async (name) => {
    await expect(open().setVariable(name, 'x')).rejects.toThrow('GitHub takes no variable');
    expect(server.seen).toEqual([]);
  });
});

describe('the summary of a job', () => {
  it('is added to the file that GitHub names, and to none outside of a job', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'patchbay-github-'));
    const file = join(dir, 'summary.md');
    writeFileSync(file, 'before\n');
    await open({ env: { GITHUB_STEP_SUMMARY: file } }).writeSummary('# Day 3');
    await open().writeSummary('# nowhere');
    expect(readFileSync(file, 'utf8')).toBe('before\n# Day 3\n');
    rmSync(dir, { recursive: true });
  });
});

describe('waiting for checks', () => {
  const run = (status: string, conclusion: string | null) => ({ name: 'ci', status, conclusion });

  it.each([
    ['all succeeded', [run('completed', 'success'), run('completed', 'skipped')], ['success'], 'success'],
    ['one run failed', [run('completed', 'success'), run('completed', 'timed_out')], [], 'failure'],
    ['one status failed', [run('completed', 'success')], ['error'], 'failure'],
  ] as const)('ends when %s', async (_, runs, states, expected) => {
    server.checkRuns.set('abc', [...runs]);
    server.statuses.set(
      'abc',
      states.map((state) => ({ state, context: 'x' })),
    );
    expect(await open().waitForChecks('abc', 60_000)).toBe(expected);
  });

  it('looks at every page', async () => {
    server.pageSize = 2;
    server.checkRuns.set('abc', [
      ...Array.from({ length: 5 }, () => run('completed', 'success')),
      run('completed', 'failure'),
    ]);
    expect(await open().waitForChecks('abc', 60_000)).toBe('failure');
  });

  it('gives up in time, asking less and less often', async () => {
    server.checkRuns.set('abc', [run('in_progress', null)]);
    expect(await open().waitForChecks('abc', 60_000)).toBe('timeout');
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(60_000);
    expect(waits.length).toBeLessThan(15);
  });

  it('passes where there are no checks, after a while', async () => {
    expect(await open().waitForChecks('abc', 600_000)).toBe('success');
    expect(waits.length).toBeGreaterThan(1);
  });
});

describe('trouble', () => {
  it('is tried again: errors of GitHub, and limits as long as it asks', async () => {
    server.trouble.push({ status: 502 }, { status: 429, headers: { 'retry-after': '7' } });
    await open().escalate(escalation);
    expect(waits).toEqual([1000, 7000]);
  });

  it('a limit that ends soon is waited for', async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 20);
    server.trouble.push({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } });
    await open().escalate(escalation);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(15_000);
  });

  it('a limit that ends in an hour is told', async () => {
    server.trouble.push({
      status: 429,
      headers: { 'retry-after': '3600' },
      body: { message: 'API rate limit exceeded' },
    });
    await expect(open().escalate(escalation)).rejects.toThrow('GitHub answered 429: API rate limit exceeded');
    expect(waits).toEqual([]);
  });

  it('is not tried for ever', async () => {
    server.trouble.push(...Array.from({ length: 10 }, () => ({ status: 500 })));
    await expect(open().escalate(escalation)).rejects.toThrow('GitHub answered 500: trouble');
    expect(server.seen).toHaveLength(4);
  });

  it.each([
    [{ token: 'bad' }, /does not accept the token in TOKEN: Bad credentials/],
    [{ repository: 'acme/other' }, /no such thing in acme\/other, .*needs "issues: write"/],
  ])('says what is wrong: %j', async (how, message) => {
    await expect(open(how).escalate(escalation)).rejects.toThrow(message);
  });

  it('says which permission is missing', async () => {
    server.trouble.push({ status: 403, body: { message: 'Resource not accessible by personal access token' } });
    await expect(open().escalate(escalation)).rejects.toThrow(
      /TOKEN needs "issues: write" for acme\/site: Resource not/,
    );
  });

  it('tells nobody the token', async () => {
    const elsewhere = githubPlatform(
      readSettings({ repository: 'a/b', api_url: 'http://127.0.0.1:1' }, { GITHUB_TOKEN: 's3cret' }),
    );
    await expect(elsewhere.escalate(escalation)).rejects.toThrow(
      /cannot be reached at http:\/\/127\.0\.0\.1:1: (?!.*s3cret)/,
    );
  });

  it('follows no page to another host', async () => {
    server.trouble.push({
      status: 200,
      headers: { link: '<http://127.0.0.1:1/steal>; rel="next"' },
      body: [] as unknown as object,
    });
    expect(await open().escalate(escalation)).toMatchObject({ id: '1' });
  });
});

describe('settings', () => {
  it.each([
    [{}, {}, /"repository"/],
    [{ repository: 'x' }, {}, /must be OWNER\/NAME/],
    [{ repository: 'a/b' }, {}, /no GITHUB_TOKEN/],
    [{ repository: 'a/b', api_url: 'nonsense' }, { GITHUB_TOKEN: 't' }, /"api_url"/],
  ])('that are wrong are told: %j', (given, env, message) => {
    expect(() => readSettings(given, env)).toThrow(message);
  });

  it('come from the environment of a job where the project says nothing', () => {
    const env = { GITHUB_REPOSITORY: 'acme/site', GITHUB_TOKEN: 't', GITHUB_API_URL: 'https://ghe.example/api/v3/' };
    expect(readSettings({}, env)).toMatchObject({ owner: 'acme', api: 'https://ghe.example/api/v3', base: 'main' });
  });
});
