import type { Workspace } from './files.ts';
import { within } from './paths.ts';

/** What a makefile can make. */
export interface Makefile {
  readonly path: string;
  readonly targets: ReadonlySet<string>;
  /** Whether it could make anything: it has pattern rules, includes others or computes its targets. */
  readonly open: boolean;
  /** Names without a dot or a slash that targets need first, with the line that says so. */
  readonly needs: readonly { readonly line: number; readonly name: string }[];
  readonly recipes: readonly { readonly line: number; readonly text: string }[];
}

const names = ['GNUmakefile', 'makefile', 'Makefile'];

/** Every makefile of a workspace. */
export function makefilesOf(workspace: Workspace): Makefile[] {
  return workspace.paths
    .filter((path) => names.some((name) => path === name || path.endsWith(`/${name}`)))
    .flatMap((path) => read(path, workspace.text(path)) ?? []);
}

/** The makefile that `make` takes in a folder; null if there is none. */
export function makefileIn(workspace: Workspace, folder: string): Makefile | null {
  const path = names.map((name) => within(folder, name)).find((one) => workspace.has(one));
  return path === undefined ? null : read(path, workspace.text(path));
}

function read(path: string, text: string | null): Makefile | null {
  if (text === null) return null;
  const lines = text.split('\n');
  const rules = lines.flatMap((line) => /^([^\s#:=][^:=#]*?)\s*::?(?!=)/.exec(line)?.[1] ?? []);
  const targets = new Set(rules.flatMap((rule) => rule.split(/\s+/)));
  const recipes = lines.flatMap((line, at) => (line.startsWith('\t') ? [{ line: at + 1, text: line.trim() }] : []));
  const open = /^[-s]?include\s/m.test(text) || [...targets].some((target) => /[%$]/.test(target));
  return { path, targets, open, needs: lines.flatMap(needsIn), recipes };
}

function needsIn(line: string, at: number): { line: number; name: string }[] {
  const [, needed = ''] = /^(?![\s#.])[^:=#]+::?(?![:=])([^=;#]*)(?:[;#].*)?$/.exec(line) ?? [];
  const names = needed.split(/\s+/).filter((name) => /^[A-Za-z][\w-]*$/.test(name));
  return names.map((name) => ({ line: at + 1, name }));
}
