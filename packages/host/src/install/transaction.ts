import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';

/** A change of a project, prepared and ready to happen at once. */
export interface Change {
  /** Prepared folders and where they belong. What stands there is kept beside it as `.bak` until all is done. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** Folders that go. */
  readonly removes: readonly string[];
  /** Files with the text they are to have, and the one they have now (null: there is none). */
  readonly writes: readonly { readonly file: string; readonly before: string | null; readonly text: string | null }[];
}

const journalName = 'journal.json';

/**
 * Carries a change out so that the project is never half changed. The change is written down first, in one rename:
 * until then nothing has happened, from then on it will have. A crash in between is made up for by `recover`; an
 * error in between is undone here and thrown.
 */
export function commit(workDir: string, change: Change): void {
  for (const { file, before } of change.writes) {
    if (textOf(file) !== before) {
      throw new PatchbayError('PROJECT_BUSY', `${file} was changed meanwhile; nothing was done`, { file });
    }
  }
  try {
    replace(join(workDir, journalName), JSON.stringify(change), workDir);
    settle(workDir);
    apply(workDir, change);
  } catch (error) {
    undo(workDir, change);
    finish(workDir, change);
    throw new PatchbayError('PROJECT_WRITE', `the project could not be changed: ${messageOf(error)}`, { cause: error });
  }
  try {
    finish(workDir, change);
  } catch {
    // All is done but the tidying up: the journal is still there, and the next command sees to it.
  }
}

/** Finishes what a crash left half done, and sweeps away what it had only prepared. Call it with the project locked. */
export function recover(workDir: string): void {
  if (!existsSync(workDir)) return;
  const journal = join(workDir, journalName);
  if (existsSync(journal)) {
    const change = JSON.parse(readFileSync(journal, 'utf8')) as Change;
    apply(workDir, change);
    finish(workDir, change);
  }
  sweep(workDir);
}

/** Takes away what was only prepared, unless a change is still written down. */
export function sweep(workDir: string): void {
  if (!existsSync(workDir) || existsSync(join(workDir, journalName))) return;
  for (const name of readdirSync(workDir)) {
    if (!name.startsWith('lock')) rmSync(join(workDir, name), { recursive: true, force: true });
  }
}

/** Every step looks whether it was taken before: all of them may be repeated any number of times. */
function apply(workDir: string, { moves, removes, writes }: Change): void {
  for (const { from, to } of moves) {
    if (!existsSync(from)) continue;
    if (existsSync(to)) {
      rmSync(backupOf(to), { recursive: true, force: true });
      renameSync(to, backupOf(to));
    }
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  for (const dir of removes) if (existsSync(dir)) renameSync(dir, trashOf(workDir, dir));
  for (const { file, before, text } of writes) {
    // Somebody may have edited it after the crash: that is not ours to overwrite. `list` and `doctor` tell what is missing.
    if (textOf(file) !== before) continue;
    if (text === null) rmSync(file, { force: true });
    else replace(file, text, workDir);
  }
  for (const folder of foldersOf(writes)) settle(folder);
}

function undo(workDir: string, { moves, removes, writes }: Change): void {
  for (const { file, before } of writes) {
    if (before === null) rmSync(file, { force: true });
    else if (textOf(file) !== before) replace(file, before, workDir);
  }
  for (const dir of removes) if (existsSync(trashOf(workDir, dir))) renameSync(trashOf(workDir, dir), dir);
  for (const { from, to } of moves) {
    if (existsSync(from)) continue;
    renameSync(to, from);
  }
  for (const { to } of moves) if (existsSync(backupOf(to)) && !existsSync(to)) renameSync(backupOf(to), to);
  for (const folder of foldersOf(writes)) settle(folder);
}

/** Each once: a wait for the disk is the longest part of an installation. */
function foldersOf(writes: Change['writes']): Set<string> {
  return new Set(writes.map(({ file }) => dirname(file)));
}

/** What was replaced or taken away is gone for good, and the journal with it, last of all. */
function finish(workDir: string, { moves, removes }: Change): void {
  for (const { to } of moves) rmSync(backupOf(to), { recursive: true, force: true });
  for (const dir of removes) rmSync(trashOf(workDir, dir), { recursive: true, force: true });
  rmSync(join(workDir, journalName), { force: true });
}

function backupOf(dir: string): string {
  return `${dir}.bak`;
}

function trashOf(workDir: string, dir: string): string {
  return join(workDir, `trash-${basename(dir)}`);
}

/** The text of a file; null if there is none. */
export function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Replaces a file at once: whoever reads it sees the old text or the new one. After a power cut too, once it is settled. */
function replace(file: string, text: string, workDir: string): void {
  mkdirSync(workDir, { recursive: true });
  const prepared = join(workDir, `write-${basename(file)}`);
  const handle = openSync(prepared, 'w', 0o644);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(prepared, file);
}

/** What was renamed in a folder will be found so after a power cut. */
function settle(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Takes the working folder, and the one it is in, away if nothing is left in them. */
export function tidy(workDir: string): void {
  try {
    rmdirSync(workDir);
    rmdirSync(dirname(workDir));
  } catch {
    // Something is in it, or it is gone: both are fine.
  }
}
