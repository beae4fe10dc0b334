import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Change } from './change.ts';
import { workspaceFailed } from './failure.ts';
import { printOf } from './stage.ts';
import type { Workspace } from './workspace.ts';

/** Where a plain workspace is. */
export interface OpenPlain {
  /** Root of the project. */
  readonly project: string;
  /** Its folder, relative to the project. */
  readonly folder: string;
  /** What the run keeps: `.patchbay/runs/<run_id>`. */
  readonly state: string;
}

/** The files of a folder, by what a change of each is noticed. */
interface Listing {
  readonly files: Readonly<Record<string, string>>;
  /** Whether these are all of them. */
  readonly whole: boolean;
}

/** So many files are looked at: a message must not cost more than that. */
const mostFiles = 2000;
/** What is in them is of no interest to those who read what was changed. */
const passedOver: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * Opens a folder of the project that is worked in as it is, run after run: no git looks after it, what is changed stays changed.
 * It is made if it is not there. Throws WORKSPACE_FAILED if it leads out of the project.
 */
export function openPlain({ project, folder, state }: OpenPlain): Workspace {
  const home = realpathSync(project);
  const place = join(home, folder);
  for (const made of [place, state]) if (!existsSync(made)) mkdirSync(made, { recursive: true });
  const dir = realpathSync(place);
  if (!dir.startsWith(home + sep)) throw workspaceFailed(`${place} leads out of the project`, { file: place });
  return {
    kind: 'plain',
    dir,
    root: dir,
    project: home,
    state: realpathSync(state),
    mirror: join(state, 'git'),
    branch: null,
    base: null,
    repository: null,
  };
}

/** What is in a plain workspace now, as text. */
export function listed({ dir }: Workspace): string {
  return JSON.stringify(listingOf(dir));
}

/** What has changed since it was listed. Where not all files are looked at, only those that are there both times. */
export function changedSince({ dir }: Workspace, before: string): Change[] {
  const was = JSON.parse(before) as Listing;
  const is = listingOf(dir);
  const changes: Change[] = [];
  const change = (path: string, kind: Change['kind']) => changes.push({ path, kind, from: null, special: null });
  const isWhole = was.whole && is.whole;
  for (const [path, print] of Object.entries(is.files)) {
    const known = was.files[path];
    if (known === undefined) {
      if (isWhole) change(path, 'added');
    } else if (known !== print) change(path, 'modified');
  }
  if (isWhole) for (const path of Object.keys(was.files)) if (is.files[path] === undefined) change(path, 'deleted');
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Takes back what can be: files that were not there before. Gives the others. */
export function takeBackAdded({ dir }: Workspace, changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ path, kind }) => {
    if (kind !== 'added') return true;
    rmSync(join(dir, path), { recursive: true, force: true });
    return false;
  });
}

/** Links are not followed; what cannot be read is not there. */
function listingOf(dir: string): Listing {
  const files: Record<string, string> = Object.create(null) as Record<string, string>;
  const waiting = [''];
  let left = mostFiles;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of entriesOf(join(dir, at))) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (passedOver.has(entry.name)) continue;
      if (entry.isDirectory()) {
        waiting.push(path);
        continue;
      }
      if (left === 0) return { files, whole: false };
      left -= 1;
      const stat = lstatSync(join(dir, path), { throwIfNoEntry: false });
      if (stat !== undefined) files[path] = printOf(stat);
    }
  }
  return { files, whole: true };
}

function entriesOf(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}
