import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentCore, TurnWork } from 'patchbay-sdk';
import { expect, it, onTestFinished } from 'vitest';
import { conduitCore, gateCore, sentinelCore } from '../index.ts';
import { type Files, random } from './fixture.ts';

interface Result {
  readonly status: string;
  readonly summary: string;
  readonly artifact: string;
  readonly report: Readonly<Record<string, unknown>>;
}

/** Has a core judge a turn that has left these files, about this story. */
async function judged(plugin: typeof gateCore, files: Files, story?: object, config: object = {}): Promise<Result> {
  const dir = mkdtempSync(join(tmpdir(), 'reviewers-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const result = {
    files_changed: Object.keys(files),
    verification: { status: 'pass', commands: [], machine_evidence: [] },
  };
  const all = Object.entries(files).map(([path, text]) => [`work/${path}`, text] as const);
  const bundle = [
    ['bundle/turn.json', JSON.stringify({ reviews: { result } })],
    ...(story === undefined ? [] : [['bundle/story.json', JSON.stringify(story)] as const]),
  ] as const;
  for (const [path, text] of [...all, ...bundle]) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const passed = { exit_code: 0, signal: null, timed_out: false, stdout: 'ℹ tests 1\nℹ pass 1\n', stderr: '' };
  const turn = {
    reviews: 'turn-1',
    bundle: join(dir, 'bundle'),
    workspace: join(dir, 'work'),
    result_file: join(dir, 'result.json'),
    config,
    exec: async () => passed,
  };
  const provided = plugin.provides?.agentCore as () => AgentCore;
  await provided().run?.(turn as unknown as TurnWork);
  return JSON.parse(readFileSync(turn.result_file, 'utf8')) as Result;
}

const repository = {
  'package.json': '{"scripts": {"test": "node --test"}}',
  'src/paging.js': 'export const page = (items, n) => items.slice(10 * n - 10, 10 * n);\n',
  'test/paging.test.js': "test('the first page has ten items', () => { assert.equal(page(items, 1).length, 10); });\n",
};
const slow = { 'src/load.js': "export const load = () => fetch('https://api.shop.io/items');\n" };

it('gate hands in how each criterion of the story card fares', async () => {
  const acceptance_criteria = ['The first page has ten items', 'Orders are sorted by date'];
  const { status, report, artifact } = await judged(gateCore, repository, { title: 'Paging', acceptance_criteria });
  expect(status).toBe('rejected');
  expect(report).toEqual({
    criteria_results: [
      { criterion: 'The first page has ten items', result: 'PASS', evidence: expect.any(String) },
      { criterion: 'Orders are sorted by date', result: 'FAIL', evidence: expect.any(String) },
    ],
    blockers: [expect.stringContaining('not met: Orders are sorted by date')],
    deferred: [],
    gate_decision: 'HOLD',
    hold_reason: expect.stringContaining('not met: Orders are sorted by date'),
  });
  expect(JSON.parse(artifact)).toEqual(report);
});

it('gate judges criteria of the story card and of its settings, each once', async () => {
  const acceptance_criteria = ['The first page has ten items'];
  const criteria = ['The first page has ten items', 'All tests pass'];
  const { report } = await judged(gateCore, repository, { title: 'Paging', acceptance_criteria }, { criteria });
  expect(report).toMatchObject({ criteria_results: [{ result: 'PASS' }, { result: 'PASS' }], gate_decision: 'SHIP' });
});

it('gate lists criteria that are deferred and does not judge them', async () => {
  const { status, report } = await judged(gateCore, repository, {
    title: 'Paging',
    acceptance_criteria: ['The first page has ten items', 'Orders are sorted by date.'],
    deferred: ['Orders are sorted by date'],
  });
  expect(status).toBe('approved');
  expect(report).toEqual({
    criteria_results: [expect.objectContaining({ criterion: 'The first page has ten items', result: 'PASS' })],
    blockers: [],
    deferred: ['Orders are sorted by date'],
    gate_decision: 'SHIP',
    hold_reason: '',
  });
});

it.each([
  ['sentinel', sentinelCore],
  ['conduit', conduitCore],
] as const)('%s hands in what each check came to', async (name, core) => {
  const { status, report } = await judged(core, repository);
  expect(status).toBe('approved');
  expect(report).toEqual({
    findings: expect.arrayContaining([{ check: expect.any(String), result: 'PASS', evidence: expect.any(String) }]),
    advisories: [],
    blockers: [],
    [`${name}_decision`]: 'SHIP',
    hold_reason: '',
  });
});

it('sentinel hands in what holds the work, and what is only told', async () => {
  const leak = `export const t = 'gh${'p_'}${random(36)}';\n`;
  const held = await judged(sentinelCore, { 'src/a.js': leak, ...slow });
  expect(held).toMatchObject({ status: 'rejected', report: { sentinel_decision: 'HOLD' } });
  expect(held.report['hold_reason']).toMatch(/^secrets: src\/a\.js:1: /);
  const told = await judged(sentinelCore, slow);
  expect(told).toMatchObject({ status: 'advisory', report: { sentinel_decision: 'ADVISORY', hold_reason: '' } });
  expect(told.report['advisories']).toEqual([told.summary]);
});

it('a concern that was cleared is not raised again, even if its line has moved', async () => {
  const { report } = await judged(sentinelCore, slow);
  const cleared = (report['advisories'] as string[]).map((text) => text.replace(':1:', ':40:'));
  const again = await judged(sentinelCore, slow, { title: 'Load', acceptance_criteria: [], cleared });
  expect(again).toMatchObject({ status: 'approved', report: { advisories: [], sentinel_decision: 'SHIP' } });
  expect(again.report['findings']).toContainEqual({
    check: 'coverage',
    result: 'PASS',
    evidence: 'concerns that were cleared before and are not raised again: 1',
  });
  const other = { 'src/other.js': slow['src/load.js'] };
  expect(await judged(sentinelCore, other, { cleared })).toMatchObject({ status: 'advisory' });
});

it('what holds the work cannot be cleared', async () => {
  const leak = { 'src/a.js': `export const t = 'gh${'p_'}${random(36)}';\n` };
  const { report } = await judged(sentinelCore, leak);
  expect(await judged(sentinelCore, leak, { cleared: report['blockers'] })).toMatchObject({ status: 'rejected' });
});

it('what gate is not certain of can be cleared, all at once as it was told', async () => {
  const acceptance_criteria = ['Customers export orders as CSV', 'Customers archive invoices'];
  const files = {
    ...repository,
    'src/customers.js': 'export const exportOrdersAsCsv = 1;\nexport const archiveInvoices = 2;\n',
  };
  const first = await judged(gateCore, files, { title: 'Paging', acceptance_criteria });
  expect(first).toMatchObject({ status: 'advisory', report: { blockers: [] } });
  const cleared = [first.summary];
  const again = await judged(gateCore, files, { title: 'Paging', acceptance_criteria, cleared });
  expect(again).toMatchObject({ status: 'approved', report: { gate_decision: 'SHIP', hold_reason: '' } });
  expect(again.report['criteria_results']).toEqual(first.report['criteria_results']);
});
