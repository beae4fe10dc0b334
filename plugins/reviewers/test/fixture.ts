import { folder } from '../../../test/project.ts';
import type { ReviewInput } from '../review.ts';

/** The files of a repository. */
export type Files = Readonly<Record<string, string>>;

/** What a reviewer is given about a folder with these files. */
export function input(files: Files, changes: Partial<ReviewInput> = {}): ReviewInput {
  const verification = { status: 'skipped', commands: [], machine_evidence: [] } as const;
  return { workspace: folder(files), base: [], criteria: [], verification, ...changes };
}

const alphabets = {
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  letters: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ',
  any: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
};

/** Text that looks random and is the same each time; made here so that no file of this repository holds a key. */
export function random(length: number, kind: keyof typeof alphabets = 'any', seed = 7): string {
  let state = seed * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return state ^ (state >>> 13);
  };
  const alphabet = alphabets[kind];
  return Array.from({ length }, () => alphabet[(next() >>> 0) % alphabet.length]).join('');
}

/** A commit to pin an action to. */
export const sha = random(40, 'hex', 3);
