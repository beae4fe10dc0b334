import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { localPlatform } from '../local.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function project(): string {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-local-'));
  dirs.push(dir);
  return dir;
}

it('escalations are files that people can read, one for each key', async () => {
  const dir = project();
  const platform = localPlatform(dir);
  const first = await platform.escalate({ key: 'run/1', title: 'Day 3 is held', body: 'Tests fail' });
  expect(readFileSync(fileURLToPath(first.url), 'utf8')).toBe('# Day 3 is held\n\nTests fail\n');
  expect(await platform.escalate({ key: 'run/1', title: 'Again', body: 'x' })).toEqual(first);
  await platform.escalate({ key: 'run-1', title: 'Another key that reads alike', body: 'x' });
  expect(readdirSync(join(dir, '.patchbay/platform/escalations'))).toHaveLength(2);
});

it('a key leads nowhere else', async () => {
  const dir = project();
  await localPlatform(dir).escalate({ key: '../../../../etc/x', title: 't', body: 'b' });
  expect(readdirSync(join(dir, '.patchbay/platform/escalations'))).toEqual([expect.stringMatching(/^[\w.-]+\.md$/)]);
});

it('reviews name their branch', async () => {
  const { url } = await localPlatform(project()).openReview({ key: 'k', branch: 'patchbay/r', title: 'T', body: 'B' });
  expect(readFileSync(fileURLToPath(url), 'utf8')).toContain('Branch: `patchbay/r`');
});

it('variables are kept beside each other', async () => {
  const dir = project();
  const platform = localPlatform(dir);
  await platform.setVariable('A', '1');
  await platform.setVariable('B', '2');
  expect(JSON.parse(readFileSync(join(dir, '.patchbay/platform/variables.json'), 'utf8'))).toEqual({ A: '1', B: '2' });
});

it('checks pass, unless a file says otherwise', async () => {
  const dir = project();
  const platform = localPlatform(dir);
  expect(await platform.waitForChecks('abc', 1000)).toBe('success');
  mkdirSync(join(dir, '.patchbay/platform'), { recursive: true });
  writeFileSync(join(dir, '.patchbay/platform/checks.json'), '{"abc":"failure"}');
  expect(await platform.waitForChecks('abc', 1000)).toBe('failure');
});

it('summaries are added to one file', async () => {
  const dir = project();
  const platform = localPlatform(dir);
  await platform.writeSummary('one');
  await platform.writeSummary('two');
  expect(readFileSync(join(dir, '.patchbay/platform/summary.md'), 'utf8')).toBe('one\ntwo\n');
});
