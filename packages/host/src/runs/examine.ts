import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunState, Turn } from './state.ts';
import { checkPattern } from './template/schema.ts';
import { type Check, type Gate, type Phase, severities } from './template/template.ts';

/** Larger files are not looked into. */
const mostBytes = 5 * 1024 * 1024;

/** What a gate demands and does not find. */
export async function examine(state: RunState, gate: Gate, phase: Phase, folder: string): Promise<string[]> {
  return gate.checks.flatMap((check) => problemOf(state, check, phase, folder) ?? []);
}

function problemOf(state: RunState, check: Check, phase: Phase, folder: string): string | undefined {
  const turns = state.turns.filter((turn) => turn.phase === phase.name);
  switch (check.kind) {
    case 'file':
      return problemOfFile(check, folder);
    case 'verification': {
      const failed = turns.filter(isWork).filter(({ result }) => result?.verification.status !== 'pass');
      return failed.length === 0
        ? undefined
        : `verification of ${failed.map(({ turn_id }) => turn_id).join(', ')} did not pass`;
    }
    case 'reviews': {
      const open = turns.filter(({ reviews, state: at }) => reviews !== null && at !== 'accepted');
      return open.length === 0 ? undefined : `reviews ${open.map(({ turn_id }) => turn_id).join(', ')} are open`;
    }
    case 'objections': {
      const least = rankOf(check.severity);
      const open = state.objections.filter((one) => one.open && rankOf(one.severity) >= least);
      return open.length === 0
        ? undefined
        : `objections are open: ${open.map(({ id, statement }) => `${id} ${statement}`).join(', ')}`;
    }
  }
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
