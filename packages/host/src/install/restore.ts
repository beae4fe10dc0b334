import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { parseSource, stage } from './fetch/index.ts';
import type { InstallOptions } from './install.ts';
import { integrityOf } from './integrity.ts';
import { type LockEntry, linked } from './lock.ts';
import { changing, folderOf, type State } from './project-state.ts';
import { withPlugin } from './registration.ts';
import { commit } from './transaction.ts';

/** What became of each plugin of a lock file. */
export interface Restored {
  readonly name: string;
  readonly version: string;
  readonly state: 'unchanged' | 'restored';
}

/**
 * Makes the plugins of a project exactly those of its lock file: brings what is missing or was changed, all or nothing.
 * With `frozen`, refuses a project file that does not name the same plugins in the same versions.
 */
export function restorePlugins(options: InstallOptions & { readonly frozen?: boolean }): Promise<Restored[]> {
  return changing(options.cwd, async (state) => {
    if (options.frozen) demandSame(state);
    const { home, lock } = state;
    const staging = mkdtempSync(join(home.workDir, 'stage-'));
    const moves: { from: string; to: string }[] = [];
    for (const [name, entry] of Object.entries(lock)) {
      const to = folderOf(home, name);
      if (await isSame(to, entry)) continue;
      const from = join(staging, String(moves.length));
      await bring(state, name, entry, from, options);
      moves.push({ from, to });
    }
    const text = Object.entries(lock).reduce(
      (config, [name, { version }]) =>
        state.registered.get(name)?.version === version
          ? config
          : withPlugin(home, config, name, { version, enabled: state.registered.get(name)?.enabled ?? true }),
      state.configText,
    );
    commit(home.workDir, { moves, removes: [], writes: [{ file: home.configFile, before: state.configText, text }] });
    const places = new Set(moves.map(({ to }) => to));
    return Object.entries(lock).map(([name, { version }]) => {
      return { name, version, state: places.has(folderOf(home, name)) ? 'restored' : 'unchanged' };
    });
  });
}

async function isSame(dir: string, { integrity }: LockEntry): Promise<boolean> {
  if (!existsSync(dir)) return false;
  return integrity === linked || (await integrityOf(dir).catch(() => undefined)) === integrity;
}

async function bring(
  state: State,
  name: string,
  entry: LockEntry,
  into: string,
  options: InstallOptions,
): Promise<void> {
  const { home } = state;
  const source = parseSource(entry.resolved, home.dir);
  await stage(source, into, { ...options, base: home.dir, temp: home.workDir });
  if (entry.dependencies !== undefined) {
    const { restoreDependencies } = await import('./dependencies/dependencies.ts');
    await restoreDependencies(into, entry.dependencies, { ...options, plugin: name, temp: home.workDir });
  }
  const integrity = await integrityOf(into);
  if (integrity === entry.integrity) return;
  throw new PatchbayError(
    'LOCK_DIFFERS',
    `plugin "${name}" from ${entry.resolved} is not what was installed: ${integrity} instead of ${entry.integrity}`,
    { plugin: name, file: home.lockFile },
  );
}

function demandSame({ registered, lock, home }: State): void {
  const installed = [...registered].filter(([, { path }]) => path === undefined);
  const problems = [
    ...installed
      .filter(([name, { version }]) => lock[name]?.version !== version)
      .map(
        ([name, { version }]) =>
          `${name} ${version ?? ''} is in the project file, ${lock[name]?.version ?? 'not'} in the lock file`,
      ),
    ...Object.keys(lock)
      .filter((name) => !registered.has(name))
      .map((name) => `${name} is in the lock file, not in the project file`),
  ];
  if (problems.length === 0) return;
  throw new PatchbayError('LOCK_DIFFERS', `${home.lockFile} and ${home.configFile} differ: ${problems.join('; ')}`, {
    file: home.lockFile,
    problems: problems.map((message) => ({ path: 'plugins', message })),
  });
}
