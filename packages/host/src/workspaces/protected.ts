import { createHash } from 'node:crypto';
import { cpSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { ledgerFile, stateDir } from '../config/state.ts';
import type { Change } from './change.ts';
import { tryGit } from './git.ts';
import { printOf } from './stage.ts';
import { walk } from './walk.ts';
import type { Workspace } from './workspace.ts';
import { adminOf } from './worktree.ts';

/** By absolute path: by what a change is noticed, and, for small files of git, the content to put back. */
export type Watched = Readonly<Record<string, { readonly print: string; readonly content: string | null }>>;

/** What must not change, and how that is noticed. `content` can be put back. */
interface Place {
  readonly path: string;
  readonly by: 'content' | 'stat' | 'identity';
}

const contentLimit = 256 * 1024;
/** What belongs to git and to Patchbay, as it is now. Never throws for what is missing or cannot be read. */
export function watch(ws: Workspace): Watched {
  const watched: Record<string, Watched[string]> = {};
  for (const { path, by } of placesOf(ws)) {
    for (const file of filesIn(path)) {
      const entry = by === 'content' ? byContent(file) : byStat(file, by);
      if (entry !== undefined) watched[file] = entry;
    }
  }
  return watched;
}

/** What of it has changed. */
export async function protectedChanges(ws: Workspace, before: Watched): Promise<Change[]> {
  const now = watch(ws);
  const changes: Change[] = [];
  for (const file of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [was, is] = [before[file], now[file]];
    if (was?.print === is?.print || (await sameSettings(ws, file, was?.content, is?.content))) continue;
    const kind = was === undefined ? 'added' : is === undefined ? 'deleted' : 'modified';
    changes.push({ path: shown(ws, file), kind, from: null, special: 'protected' });
  }
  return changes;
}

/**
 * Puts back what was there; gives false if that cannot be done, or if it is the project's own: whether a plugin that
 * came meanwhile is an agent's doing or a person's, nobody here can tell. What is taken out of the repository is kept
 * in `taken-back` of the run, for the same reason.
 */
export function putBack(ws: Workspace, file: string, before: Watched): boolean {
  const was = before[file];
  const inside = ws.kind === 'worktree' && file.startsWith(ws.root + sep);
  const ofGit = ws.repository !== null && file.startsWith(ws.repository.common + sep);
  if (!(inside || ofGit) || (was !== undefined && was.content === null)) return false;
  if (ofGit && lstatSync(file, { throwIfNoEntry: false }) !== undefined) keep(ws, file);
  rmSync(file, { recursive: true, force: true });
  if (was === undefined) return true;
  mkdirSync(dirname(file), { recursive: true });
  const mode = Number(was.print.split(':')[0]) & 0o777;
  writeFileSync(file, Buffer.from(was.content ?? '', 'base64'), { mode });
  return true;
}

function keep({ state }: Workspace, file: string): void {
  const folder = join(state, 'taken-back');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  cpSync(file, join(folder, `${Date.now()}-${basename(file)}`), { recursive: true, verbatimSymlinks: true });
}

/** Whether a path of the mirror belongs to git or to Patchbay. */
export function protectedIn({ repository, kind }: Workspace, path: string): boolean {
  const prefix = repository?.prefix ?? '';
  const own = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  if (/^\.(?:patchbay|agentxchain)(?:\/|$)/.test(own)) return true;
  // In a worktree they are files like others until somebody merges them; in the project itself they are what the host
  // obeys.
  return kind === 'folder' && /^(?:patchbay\.yaml|patchbay\.lock|agentxchain\.json)$/.test(own);
}

/** Where a link leads; undefined if it is none. */
export function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

function placesOf(ws: Workspace): Place[] {
  const { project, dir, root, repository } = ws;
  // Of its own folder only what the host runs: it writes there itself while turns run, and so do handlers of plugins.
  const stat = [join(stateDir(project), 'plugins'), join(project, '.agentxchain', 'plugins')];
  // Where the workspace is the project, the mirror looks after it, and can put it back.
  if (repository !== null) stat.push(join(project, 'patchbay.lock'));
  const places: Place[] = [
    ...stat.map((path): Place => ({ path, by: 'stat' })),
    // The host writes to it all the time: its own chain of hashes tells what others do to it.
    { path: ledgerFile(project), by: 'identity' },
  ];
  if (repository === null) return places;
  const { common } = repository;
  const admin = adminOf(repository, root);
  const ofGit = ['config', 'hooks', 'info/attributes', 'info/exclude', 'info/grafts', 'objects/info/alternates'];
  const files = [
    ...ofGit.map((name) => join(common, name)),
    ...(admin === undefined ? [] : ['config.worktree', 'gitdir', 'commondir'].map((name) => join(admin, name))),
    join(root, '.git'),
  ];
  const inside = ['.patchbay', '.agentxchain'].map((name) => join(dir, name));
  return [
    ...places,
    ...files.map((path): Place => ({ path, by: 'content' })),
    ...inside.map((path): Place => ({ path, by: 'stat' })),
  ];
}

/** A file itself, or all files in a folder; links are not followed. What cannot be read counts as gone. */
function filesIn(path: string): string[] {
  try {
    if (!lstatSync(path).isDirectory()) return [path];
    return walk(path).flatMap(({ file }) => (file.endsWith('.sample') ? [] : [file]));
  } catch {
    return [];
  }
}

function byStat(file: string, by: Place['by']): Watched[string] | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  return { print: by === 'identity' ? `${stat.dev}:${stat.ino}` : printOf(stat), content: null };
}

function byContent(file: string): Watched[string] | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isFile() || stat.size > contentLimit) return { print: printOf(stat), content: null };
  try {
    const content = readFileSync(file);
    const hash = createHash('sha256').update(content).digest('hex');
    return { print: `${stat.mode}:${hash}`, content: content.toString('base64') };
  } catch {
    return { print: printOf(stat), content: null };
  }
}

/**
 * Settings that come and go with everyday work in a repository, people's during a run included, and that run nothing.
 */
const harmless = /^(?:branch\..*|submodule\..*\.(?:url|active))$/s;

/** Whether two settings files of the repository differ in nothing that matters. */
async function sameSettings(ws: Workspace, file: string, was?: string | null, is?: string | null): Promise<boolean> {
  if (file !== join(ws.repository?.common ?? '', 'config') || !was || !is) return false;
  const read = async (content: string) => {
    const args = ['config', '--file', '-', '--no-includes', '--list', '--null'];
    const stdin = Buffer.from(content, 'base64').toString();
    const { code, stdout } = await tryGit(args, { cwd: ws.project, gitDir: ws.mirror, stdin });
    const entries = stdout.split('\0').filter((entry) => !harmless.test(entry.split('\n')[0] ?? ''));
    return code === 0 ? entries.join('\0') : undefined;
  };
  const before = await read(was);
  return before !== undefined && before === (await read(is));
}

function shown({ dir }: Workspace, file: string): string {
  const path = relative(dir, file);
  return path.startsWith('..') ? file : path.split(sep).join('/');
}
