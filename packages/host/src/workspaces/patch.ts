import type { Change } from './change.ts';
import { git, gitFailed, tryGit } from './git.ts';
import { inMirror } from './mirror.ts';
import { changedSince } from './plain.ts';
import type { Snapshot } from './snapshot.ts';
import { stage } from './stage.ts';
import type { Workspace } from './workspace.ts';

/**
 * What has changed since a snapshot, to be read: how much in which file, then the lines. No longer than about `limit`
 * bytes (64 KiB by default); what is left out is said at the end. Of a plain workspace, the names of the files. Rejects with
 * WORKSPACE_FAILED.
 */
export async function patch(ws: Workspace, before: Snapshot, limit = 65_536): Promise<string> {
  if (ws.kind === 'plain') return textOf(changedSince(ws, before.tree), limit);
  await stage(ws);
  const options = ['--cached', '--patch-with-stat', '--find-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  const args = ['diff-index', ...options, before.tree];
  const call = inMirror(ws);
  const settings = { ...call.settings, 'core.quotePath': 'false' };
  const { code, stdout, stderr } = await tryGit(args, { ...call, settings, cutAt: limit });
  if (code > 0) throw gitFailed(args, stderr);
  return cut(stdout, limit);
}

function cut(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const shown = text.slice(0, limit);
  const lines = shown.slice(0, shown.lastIndexOf('\n') + 1);
  return `${lines}[cut: the rest of the changes is not shown]\n`;
}

function textOf(changes: readonly Change[], limit: number): string {
  return cut(changes.map(({ path, kind }) => `${kind} ${path}\n`).join(''), limit);
}

/**
 * How many files and lines have changed since a snapshot. Binary files count no lines, nor do those of a plain workspace. Rejects with WORKSPACE_FAILED.
 */
export async function diffStat(ws: Workspace, before: Snapshot): Promise<DiffStat> {
  if (ws.kind === 'plain') return { files: changedSince(ws, before.tree).length, added: 0, deleted: 0 };
  await stage(ws);
  const counted = await git(['diff-index', '--cached', '--numstat', '--no-renames', '-z', before.tree], inMirror(ws));
  const rows = counted.split('\0').filter((row) => row !== '');
  const sum = (column: number) => rows.reduce((all, row) => all + (Number(row.split('\t')[column]) || 0), 0);
  return { files: rows.length, added: sum(0), deleted: sum(1) };
}

/** See `diffStat`. */
export interface DiffStat {
  readonly files: number;
  /** Lines. */
  readonly added: number;
  /** Lines. */
  readonly deleted: number;
}
