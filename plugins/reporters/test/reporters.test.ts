import { spawnSync } from 'node:child_process';
import type { RunReport } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { junit, progress, summary } from '../index.ts';

const turn = { turn_id: 't', phase: 'build', attempt: 1, state: 'accepted', summary: 'Done', report: null };
const day: RunReport = {
  run_id: 'run-1',
  template: 'pace',
  goal: 'Pages of ten',
  status: 'completed',
  reason: null,
  started_at: '2026-01-01T12:00:00.000Z',
  ended_at: '2026-01-01T12:01:30.000Z',
  day: 2,
  decision: 'SHIP',
  cost: { input_tokens: 1000, output_tokens: 200, usd: 0.125 },
  turns: [
    { ...turn, role: 'prime', report: { title: 'Paging' } },
    { ...turn, role: 'forge', attempt: 2 },
    {
      ...turn,
      role: 'gate',
      report: {
        criteria_results: [
          { criterion: 'page 1 has item 1', result: 'PASS', evidence: 'pager.test.js:4' },
          { criterion: 'page 2 has <item> 11 & "more"', result: 'FAIL', evidence: 'exit 1\n]]> \u0000\ud800' },
        ],
        deferred: ['page size can be chosen'],
      },
    },
    { ...turn, role: 'sentinel', report: { findings: [{ check: 'secrets', result: 'ADVISORY', evidence: 'a.js:1' }] } },
  ],
};
const nothing = async () => null;

async function progressAfter(before: string | null, report: RunReport): Promise<string> {
  const { files = [] } = await progress.report(report, async () => before);
  expect(files.map(({ path }) => path)).toEqual(['PROGRESS.md']);
  return files[0]?.text ?? '';
}

describe('the progress file', () => {
  it('has a row for each day: plan, actual, decision, attempts, cost', async () => {
    const text = await progressAfter(null, day);
    expect(text).toContain('# Progress\n');
    expect(text).toContain('| 2 | Pages of ten | Paging | SHIP | 2 | $0.13 |');
  });

  it('keeps the days in order, and a day that was done again once', async () => {
    let text = await progressAfter(null, day);
    text = await progressAfter(text, { ...day, day: 10, goal: 'Tenth' });
    text = await progressAfter(text, { ...day, day: 1, goal: 'First' });
    text = await progressAfter(text, { ...day, goal: 'Second, again', decision: 'HOLD', reason: 'Tests fail' });
    const rows = text.split('\n').filter((line) => /^\| \d/.test(line));
    expect(rows.map((row) => row.split(' | ').slice(0, 4).join(' | '))).toEqual([
      '| 1 | First | Paging | SHIP',
      '| 2 | Second, again | Tests fail | HOLD',
      '| 10 | Tenth | Paging | SHIP',
    ]);
  });

  it('leaves what people write around it', async () => {
    const text = await progressAfter('# Ours\n\nHello.\n', day);
    const again = await progressAfter(`${text}\nGoodbye.\n`, { ...day, day: 3 });
    expect(again.startsWith('# Ours\n\nHello.\n\n')).toBe(true);
    expect(again.endsWith('\nGoodbye.\n')).toBe(true);
    expect(again.match(/^\| \d/gm)).toHaveLength(2);
  });

  it('is not broken by what runs are called', async () => {
    const text = await progressAfter(null, { ...day, goal: 'a | b\nc <!-- day 7 --> -->' });
    expect(text.match(/^\| \d.*$/gm)).toEqual([expect.stringContaining('a \\| b c &lt;!-- day 7 --> -->')]);
    expect((await progressAfter(text, day)).match(/^\| \d/gm)).toHaveLength(1);
  });
});

describe('JUnit XML', () => {
  it('has a suite for each reviewer and a case for each criterion and finding', async () => {
    const { files = [] } = await junit.report(day, nothing);
    expect(files.map(({ path }) => path)).toEqual(['reports/day-2.xml']);
    const xml = files[0]?.text ?? '';
    expect(xml).toContain('<testsuites name="Day 2" time="90.000">');
    expect(xml).toContain('<testsuite name="gate" tests="3" failures="1" errors="0" skipped="1"');
    expect(xml).toContain('<testcase classname="gate" name="page size can be chosen"><skipped message="deferred"/>');
    expect(xml).toContain('<testsuite name="sentinel" tests="1" failures="0"');
  });

  it('is well formed, whatever it holds', async () => {
    const { files = [] } = await junit.report(day, nothing);
    // A parser that takes nothing but XML; Python has one wherever it is installed.
    const script = `
import sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
print(root.findall('testsuite')[0].findall('testcase')[1].get('name'))`;
    const { stdout, status, stderr } = spawnSync('python3', ['-c', script], {
      input: files[0]?.text,
      encoding: 'utf8',
    });
    expect({ status, stderr, stdout: stdout.trim() }).toEqual({
      status: 0,
      stderr: '',
      stdout: 'page 2 has <item> 11 & "more"',
    });
  });

  it('of a run that is no day is called after it', async () => {
    const { files = [] } = await junit.report({ ...day, day: null }, nothing);
    expect(files[0]?.path).toBe('reports/run-1.xml');
  });
});

describe('the summary', () => {
  it('says how it ended, why, who said what, and what it cost', async () => {
    const { summary: text = '' } = await summary.report({ ...day, decision: 'HOLD', reason: 'Tests\nfail' }, nothing);
    expect(text).toContain('## ⛔ Day 2: HOLD\n');
    expect(text).toContain('**Why:** Tests fail');
    expect(text).toContain('| forge | 2 | accepted | Done |');
    expect(text).toContain('Cost: $0.13, 1200 tokens.');
  });
});
