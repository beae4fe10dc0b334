import type { Reporter, RunReport } from 'patchbay-sdk';

interface Case {
  readonly name: string;
  readonly evidence: string;
  readonly result: 'pass' | 'fail' | 'skipped';
  readonly kind?: string;
}

/** JUnit XML: each criterion and each finding is a test case, in a suite for each reviewer. */
export const junit: Reporter = {
  name: 'junit',
  byDefault: false,
  report: async (report) => {
    const name = report.day === null ? report.run_id : `day-${report.day}`;
    return { files: [{ path: `reports/${name}.xml`, text: xmlOf(report) }] };
  },
};

function xmlOf({ run_id, turns, started_at, ended_at, day }: RunReport): string {
  const suites = turns.flatMap(({ role, report }) => {
    const cases = report === null ? [] : casesOf(report);
    return cases.length === 0 ? [] : [suiteOf(role, started_at, cases)];
  });
  const seconds = (Date.parse(ended_at) - Date.parse(started_at)) / 1000;
  const name = day === null ? run_id : `Day ${day}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${text(name)}" time="${seconds.toFixed(3)}">`,
    ...suites.flat(),
    '</testsuites>',
    '',
  ].join('\n');
}

function casesOf(report: Readonly<Record<string, unknown>>): Case[] {
  const listed = (field: string) => (Array.isArray(report[field]) ? (report[field] as unknown[]) : []);
  const judged = [...listed('criteria_results'), ...listed('findings')].map((one) => {
    const { criterion, check, result, evidence } = (one ?? {}) as Record<string, unknown>;
    const isBad = result === 'FAIL' || result === 'PARTIAL';
    const outcome = { result: isBad ? 'fail' : 'pass', kind: String(result) } as const;
    return { name: String(criterion ?? check ?? '?'), evidence: String(evidence ?? ''), ...outcome };
  });
  const deferred = listed('deferred').map((one) => ({
    name: String(one),
    evidence: 'deferred',
    result: 'skipped' as const,
  }));
  return [...judged, ...deferred];
}

function suiteOf(role: string, at: string, cases: readonly Case[]): string[] {
  const count = (result: Case['result']) => cases.filter((one) => one.result === result).length;
  const counts = `tests="${cases.length}" failures="${count('fail')}" errors="0" skipped="${count('skipped')}"`;
  return [
    `  <testsuite name="${text(role)}" ${counts} timestamp="${text(at)}">`,
    ...cases.map(
      (one) => `    <testcase classname="${text(role)}" name="${text(one.name)}">${outcomeOf(one)}</testcase>`,
    ),
    '  </testsuite>',
  ];
}

function outcomeOf({ result, kind = '', evidence }: Case): string {
  if (result === 'fail') return `<failure type="${text(kind)}" message="${text(evidence)}"/>`;
  if (result === 'skipped') return `<skipped message="${text(evidence)}"/>`;
  return evidence === '' ? '' : `<system-out>${text(evidence)}</system-out>`;
}

/** For attributes and content: XML has no way to write most control characters, nor half of a pair. */
function text(value: string): string {
  return value
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '�')
    .replaceAll(/[&<>"\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
