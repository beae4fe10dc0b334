import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { expect, onTestFinished } from 'vitest';
import { parseSource } from '../../../src/install/fetch/source.ts';
import { type Staged, type StageOptions, stage } from '../../../src/install/fetch/stage.ts';

/** One file of a package. */
export interface Item {
  readonly path: string;
  readonly content?: string | Buffer;
  /** @default 0o644 */
  readonly mode?: number;
}

/** A folder that is gone when the test is over, with these files. */
export function scratch(items: readonly Item[] = []): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-fetch-test-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  put(dir, items);
  return dir;
}

export function put(dir: string, items: readonly Item[]): void {
  for (const { path, content = '', mode = 0o644 } of items) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
    chmodSync(join(dir, path), mode);
  }
}

/** Everything in a folder: `path: mode content` of files, `path/: mode` of folders, sorted. */
export function tree(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = relative(dir, file);
      const mode = (lstatSync(file).mode & 0o7777).toString(8);
      if (entry.isDirectory()) return `${path}/: ${mode}`;
      return entry.isFile() ? `${path}: ${mode} ${readFileSync(file, 'utf8')}` : `${path}: special`;
    })
    .sort();
}

/** Brings a source into a new folder. */
export function bring(source: string, options: StageOptions & { cwd?: string } = {}): Promise<Staged> {
  return stage(parseSource(source, options.cwd ?? '/'), join(scratch(), 'into'), options);
}

/** The error that bringing this fails with. Whatever was written, into the folder or as a temporary file, must be gone. */
export async function refusalOf(source: string, options: StageOptions & { cwd?: string } = {}): Promise<PatchbayError> {
  const into = join(scratch(), 'into');
  const temp = scratch();
  const error = await failureOf(() => stage(parseSource(source, options.cwd ?? '/'), into, { temp, ...options }));
  expect(existsSync(into)).toBe(false);
  expect(tree(temp)).toEqual([]);
  return error;
}

/** What this throws: a PatchbayError of a code that is not INTERNAL. */
export async function failureOf(act: () => unknown): Promise<PatchbayError> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof PatchbayError) || error.code === 'INTERNAL') throw error;
    return error;
  }
  throw new Error('nothing was thrown');
}
