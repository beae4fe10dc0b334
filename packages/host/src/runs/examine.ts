import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunState, Turn } from './state.ts';
import { checkPattern } from './template/schema.ts';
import { type Check, type Gate, type Phase, type Severity, severities } from './template/template.ts';

/** Larger files are not looked into. */
const mostBytes = 5 * 1024 * 1024;

/** What a gate demands and does not find. */
export async function examine(state: RunState, gate: Gate, phase: Phase, folder: string): Promise<string[]> {
  return gate.checks.flatMap((check) => problemOf(state, check, phase, folder) ?? []);
}

function problemOf(state: RunState, check: Check, phase: Phase, folder: string): string | undefined {
  switch (check.kind) {
    case 'file':
      return problemOfFile(check, folder);
    case 'verification':
      return problemOfVerification(state, phase);
    case 'reviews': {
      const reviews = turnsIn(state, phase).filter((turn) => !isWork(turn));
      const open = reviews.filter(({ state: at }) => at !== 'accepted');
      return open.length === 0 ? undefined : `reviews ${open.map(({ turn_id }) => turn_id).join(', ')} are open`;
    }
    case 'objections':
      return problemOfObjections(state, check.severity);
  }
}

/** The steps of a phase whose last verification did not pass, or was none. */
export function problemOfVerification(state: RunState, phase: Phase): string | undefined {
  const work = turnsIn(state, phase).filter(isWork);
  const failed = work.filter(({ result }) => result?.verification.status !== 'pass');
  if (failed.length === 0) return undefined;
  return `verification of ${failed.map(({ turn_id }) => turn_id).join(', ')} did not pass`;
}

/** The open objections of at least this severity. */
export function problemOfObjections({ objections }: RunState, severity: Severity): string | undefined {
  const least = rankOf(severity);
  const open = objections.filter((one) => one.open && rankOf(one.severity) >= least);
  if (open.length === 0) return undefined;
  return `objections are open: ${open.map(({ id, statement }) => `${id} ${statement}`).join(', ')}`;
}

function turnsIn({ turns }: RunState, { name }: Phase): readonly Turn[] {
  return turns.filter(({ phase }) => phase === name);
}

/** One that nobody knows counts as the highest. */
function rankOf(severity: string): number {
  const rank = (severities as readonly string[]).indexOf(severity);
  return rank < 0 ? severities.length - 1 : rank;
}

function isWork({ reviews }: Turn): boolean {
  return reviews === null;
}

function problemOfFile(
  { path, contains, matches }: Extract<Check, { kind: 'file' }>,
  folder: string,
): string | undefined {
  const file = join(folder, path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return `there is no file ${path}`;
  if (contains === null && matches === null) return undefined;
  if (found.size > mostBytes) return `${path} is too large to be looked into`;
  const text = readFileSync(file, 'utf8');
  if (contains !== null && !text.includes(contains)) return `${path} does not contain ${JSON.stringify(contains)}`;
  if (matches !== null && !checkPattern(matches).test(text)) return `${path} does not match ${matches}`;
  return undefined;
}
