import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyPlugin, definePlugin, type EventPayload, sample } from 'patchbay-sdk';
import { localPlugin } from 'plugin-platforms';
import { junitPlugin, progressPlugin, summaryPlugin } from 'plugin-reporters';
import { expect, it, onTestFinished } from 'vitest';
import { git } from '../../../../test/flows/stage.ts';
import { folder } from '../../../../test/project.ts';
import { openHost } from '../../src/index.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { findTemplate } from '../../src/runs/template/find.ts';

const builtins: readonly AnyPlugin[] = [localPlugin, progressPlugin, junitPlugin, summaryPlugin];

/** A host in a project whose file says this, with a held or completed day in its ledger. */
async function afterDay(
  settings: string,
  ending: 'run:held' | 'run:completed',
  {
    plugins = builtins,
    more = {},
    prepare = () => {},
  }: { plugins?: readonly AnyPlugin[]; more?: Record<string, string>; prepare?: (dir: string) => void } = {},
) {
  const dir = folder({ 'pace/pace.config.yaml': settings, ...more });
  prepare(dir);
  const host = await openHost({ cwd: dir, version: '0.0.0', builtins: plugins });
  onTestFinished(() => host.close());
  const service = await host.start();
  const common = { run_id: 'run-1', template: 'pace', goal: 'Pages of ten' };
  const template = findTemplate('pace', dir);
  await service.emitter.emit(
    newEvent('run:started', {
      ...common,
      config_summary: { template, started_by: 'ada', inputs: { day: 4 } },
      roles: [],
      phases: [],
    }),
  );
  const { run_summary, decisions, objections } = sample('run:completed');
  const settled = { ...common, run_summary, decisions, objections, reason: 'the tests fail' };
  await service.emitter.emit(newEvent(ending, settled) as EventPayload<'run:held'>);
  await service.rest();
  const told: unknown[] = [];
  for await (const { plugin, event, status, message } of service.ledger.deliveries()) {
    if (plugin.startsWith('patchbay-')) told.push({ plugin, event, status, message });
  }
  return { dir, told, service };
}

const read = (dir: string, path: string) => readFileSync(join(dir, path), 'utf8');

it('people are told of a held day once, through the platform, and the pipeline is said to be paused', async () => {
  const { dir, told, service } = await afterDay('{}', 'run:held');
  const [file = ''] = readdirSync(join(dir, '.patchbay/platform/escalations'));
  expect(read(dir, `.patchbay/platform/escalations/${file}`)).toMatch(
    /^# Day 4 is on HOLD\n\nPages of ten\n\n\*\*Why:\*\* the tests fail\n\n.*patchbay resume run-1/,
  );
  expect(JSON.parse(read(dir, '.patchbay/platform/variables.json'))).toEqual({ PACE_PAUSED: 'true' });
  expect(told).toEqual([
    {
      plugin: 'patchbay-platform',
      event: 'run:held',
      status: 'ok',
      message: expect.stringMatching(/^escalated to local/),
    },
  ]);
  for await (const { id, plugin } of service.ledger.deliveries()) {
    if (plugin === 'patchbay-platform') await service.ledger.replay(id);
  }
  await service.rest();
  expect(readdirSync(join(dir, '.patchbay/platform/escalations'))).toEqual([file]);
});

it('a day that ships ends the pause', async () => {
  const { dir } = await afterDay('{}', 'run:completed');
  expect(JSON.parse(read(dir, '.patchbay/platform/variables.json'))).toEqual({ PACE_PAUSED: 'false' });
});

it('the reporters that the project lists write their files, and the summary goes to the platform', async () => {
  const { dir, told } = await afterDay('reporters: [markdown, junit, summary]\n', 'run:held');
  expect(read(dir, 'PROGRESS.md')).toContain('| 4 | Pages of ten | the tests fail | HOLD | 1 | $0.00 |');
  expect(read(dir, 'reports/day-4.xml')).toContain('<testsuites name="Day 4"');
  expect(read(dir, '.patchbay/platform/summary.md')).toContain('## ⛔ Day 4: HOLD');
  expect(told).toContainEqual({
    plugin: 'patchbay-reports',
    event: 'run:held',
    status: 'ok',
    message: 'reported by markdown, junit, summary',
  });
});

it('what the project lists in patchbay.yaml stands before what it says for PACE', async () => {
  const more = { 'patchbay.yaml': 'reporters: [junit]\n' };
  const { dir } = await afterDay('reporters: [markdown]\n', 'run:held', { more });
  expect([existsSync(join(dir, 'PROGRESS.md')), existsSync(join(dir, 'reports/day-4.xml'))]).toEqual([false, true]);
});

it('built-in reporters write nothing that nobody asked for', async () => {
  const { dir, told } = await afterDay('{}', 'run:held');
  expect(readdirSync(dir).sort()).toEqual(['.patchbay', 'pace']);
  expect(told).toHaveLength(1);
});

it('a reporter that is not there, throws or leads out of the project is named, and the others report', async () => {
  const reporter = (name: string, report: () => Promise<object>) =>
    definePlugin({ name, version: '1.0.0', provides: { reporter: () => ({ name, report }) } }) as AnyPlugin;
  const { dir, told } = await afterDay('reporters: [thrower, escaper, nobody, markdown]\n', 'run:held', {
    plugins: [
      ...builtins,
      reporter('thrower', async () => {
        throw new Error('no paper');
      }),
      reporter('escaper', async () => ({ files: [{ path: '../../gone.txt', text: 'x' }] })),
    ],
  });
  expect(existsSync(join(dir, 'PROGRESS.md'))).toBe(true);
  const message = (told as { plugin: string; message: string }[]).find(
    ({ plugin }) => plugin === 'patchbay-reports',
  )?.message;
  expect(message).toMatch(/there is no reporter "nobody", known are .*markdown/);
  expect(message).toMatch(/reporter "thrower": no paper/);
  expect(message).toMatch(/reporter "escaper": "\.\.\/\.\.\/gone\.txt" does not stay inside the project/);
});

it('a platform that is not there is told, with those that are', async () => {
  const { told } = await afterDay('platform: gitlab\n', 'run:held');
  expect(told).toEqual([
    {
      plugin: 'patchbay-platform',
      event: 'run:held',
      status: 'failed',
      message: expect.stringContaining('there is no platform "gitlab", known are local'),
    },
  ]);
});

it('a run that is no day is not escalated', async () => {
  const dir = folder({ 'patchbay.yaml': 'plugins: {}\n' });
  const host = await openHost({ cwd: dir, version: '0.0.0', builtins });
  onTestFinished(() => host.close());
  expect(host.kernel.plugins().filter((name) => name.startsWith('patchbay-'))).toEqual([]);
});

const messageAt = (told: readonly unknown[], event: string) =>
  (told as { event: string; message: string | null }[]).flatMap((one) => (one.event === event ? [one.message] : []));

/** A repository in which a run has made a branch, with a remote elsewhere. */
function repository(dir: string): string {
  const remote = folder();
  git(remote, 'init', '-q', '--bare');
  git(dir, 'init', '-q', '-b', 'main');
  git(dir, 'add', '-A');
  git(dir, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '-m', 'Begin');
  git(dir, 'branch', 'patchbay/run-1');
  git(dir, 'remote', 'add', 'origin', remote);
  return remote;
}

it('people are asked to review what a run has made, once its branch is where they can see it', async () => {
  let remote = '';
  const settings = 'platform: { name: local, review: { push: origin, wait_for_checks: 1m } }\n';
  const { dir, told } = await afterDay(settings, 'run:completed', {
    prepare: (at) => {
      remote = repository(at);
    },
  });
  expect(git(remote, 'branch', '--list', 'patchbay/*')).toContain('patchbay/run-1');
  const [file = ''] = readdirSync(join(dir, '.patchbay/platform/reviews'));
  expect(read(dir, `.patchbay/platform/reviews/${file}`)).toMatch(
    /^# Day 4: Pages of ten\n\nBranch: `patchbay\/run-1`/,
  );
  expect(messageAt(told, 'run:completed')).toContainEqual(
    expect.stringMatching(/^review asked for on local: file:\S+; checks of [0-9a-f]{12}: success$/),
  );
});

it('that a branch cannot be pushed is told, and nobody is asked', async () => {
  const { dir, told } = await afterDay('platform: { name: local, review: { push: nowhere } }\n', 'run:completed', {
    prepare: repository,
  });
  expect(messageAt(told, 'run:completed')).toContainEqual(
    expect.stringMatching(/patchbay\/run-1 could not be pushed to nowhere: .*does not appear to be a git repository/s),
  );
  expect(existsSync(join(dir, '.patchbay/platform/reviews'))).toBe(false);
});

it('a run without a branch has nothing to review', async () => {
  const { told } = await afterDay('platform: { name: local, review: true }\n', 'run:completed');
  expect(messageAt(told, 'run:completed')).toContain('there is no branch to review');
});

it.each([
  [
    'platform: { name: local, review: { push: --upload-pack=x } }',
    /"platform\.review\.push": must be the name of a remote/,
  ],
  [
    'platform: { name: local, review: { wait_for_checks: soon } }',
    /"platform\.review\.wait_for_checks": must be a duration/,
  ],
  ['platform: { name: local, review: { pull: origin } }', /"platform\.review\.pull": unknown field/],
  ['platform: [local]', /"platform": must hold fields/],
  ['platform: { repository: a/b }', /"platform": must name a platform/],
  ['reporters: markdown', /"reporters": must be a list of names/],
])('what is wrong in the settings is told: %s', async (settings, message) => {
  const cwd = folder({ 'pace/pace.config.yaml': `${settings}\n` });
  await expect(openHost({ cwd, version: '0.0.0', builtins })).rejects.toThrow(message);
});
