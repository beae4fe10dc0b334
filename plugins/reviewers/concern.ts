import type { Decision, Finding, FindingsReport } from './review.ts';

/** Something wrong at a place. */
export interface Concern {
  /** The name of the check that found it. */
  readonly check: string;
  readonly weight: 'FAIL' | 'ADVISORY';
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** What is wrong and what to do; never the secret itself. */
  readonly says: string;
  /** Other files that it is about: to have changed one of them is to have changed this. */
  readonly also?: readonly string[];
}

/** What was looked at, for the rows of checks without concern. */
export interface Looked {
  /** Every check that was made, with what it looked at. */
  readonly checks: Readonly<Record<string, string>>;
  /** What was not looked at and why, for a person to know. */
  readonly notes: readonly string[];
  /** Why the review ended early; null if it did not. */
  readonly cut: string | null;
  /** Whether a lesser concern, as it is told, was cleared before. */
  readonly isCleared: (concern: string) => boolean;
}

/** Concerns folded into a report, and the decision that follows: any FAIL holds, any ADVISORY is told. */
export function reportOf(
  found: readonly Concern[],
  changed: ReadonlySet<string>,
  looked: Looked,
): FindingsReport & { readonly decision: Decision } {
  const all = weighed(found, changed);
  const concerns = all.filter((one) => one.weight === 'FAIL' || !looked.isCleared(toldOf(one.check, evidenceOf(one))));
  const cleared = all.length - concerns.length;
  const findings: Finding[] = concerns.map(({ check, weight, ...place }) => ({
    check,
    result: weight,
    evidence: evidenceOf(place),
  }));
  const older = found.length - all.length;
  if (looked.cut !== null) findings.push({ check: 'coverage', result: 'ADVISORY', evidence: looked.cut });
  findings.push(...passes(looked, new Set(concerns.map(({ check }) => check)), { older, cleared }));
  const told = (result: Finding['result']) =>
    findings.filter((finding) => finding.result === result).map(({ check, evidence }) => toldOf(check, evidence));
  const blockers = told('FAIL');
  const advisories = told('ADVISORY');
  const decision = blockers.length > 0 ? 'HOLD' : advisories.length > 0 ? 'ADVISORY' : 'SHIP';
  return { findings, advisories, blockers, hold_reason: blockers.join('\n'), decision };
}

/** What was wrong before the work began is nothing to hold it for; the lesser concerns of then are not its matter at all. */
function weighed(found: readonly Concern[], changed: ReadonlySet<string>): Concern[] {
  if (changed.size === 0) return [...found];
  return found.flatMap((concern) => {
    if ([concern.file, ...(concern.also ?? [])].some((file) => changed.has(file))) return [concern];
    if (concern.weight === 'ADVISORY') return [];
    return [
      { ...concern, weight: 'ADVISORY' as const, says: `${concern.says} (in a file that this work did not change)` },
    ];
  });
}

/** A concern in one text. */
function toldOf(check: string, evidence: string): string {
  return `${check}: ${evidence}`;
}

/** The rows of checks without concern, and of what was left out: concerns older than the work, and cleared ones. */
function passes(
  { checks, notes }: Looked,
  concerned: ReadonlySet<string>,
  { older, cleared }: { readonly older: number; readonly cleared: number },
): Finding[] {
  const rows = Object.entries(checks).filter(([check]) => !concerned.has(check));
  const about = [...notes];
  if (older > 0) about.push(`lesser concerns in files that this work did not change, not counted: ${older}`);
  if (cleared > 0) about.push(`concerns that were cleared before and are not raised again: ${cleared}`);
  return [
    ...rows.map(([check, evidence]) => ({ check, result: 'PASS' as const, evidence })),
    ...about.map((evidence) => ({ check: 'coverage', result: 'PASS' as const, evidence })),
  ];
}

function evidenceOf({ file, line, says }: Pick<Concern, 'file' | 'line' | 'says'>): string {
  return `${file}:${line}: ${says}`;
}
