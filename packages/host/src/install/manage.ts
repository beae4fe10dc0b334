import { existsSync } from 'node:fs';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { integrityOf } from './integrity.ts';
import { type Listed, listed } from './listing.ts';
import { linked, lockText } from './lock.ts';
import { changing, demand, folderOf, looking, type State } from './project-state.ts';
import { withoutPlugin, withPlugin } from './registration.ts';
import { commit } from './transaction.ts';

/** Takes a plugin out: its folder, what the project file says of it, and its entry in the lock file. */
export function removePlugin(cwd: string, name: string): Promise<{ name: string }> {
  return changing(cwd, async (state) => {
    demand(state, name);
    const { home, configText, lockText: before, registered } = state;
    const { [name]: _, ...rest } = state.lock;
    const isModule = registered.get(name)?.path !== undefined;
    commit(home.workDir, {
      moves: [],
      removes: isModule ? [] : [folderOf(home, name)],
      writes: [
        { file: home.configFile, before: configText, text: withoutPlugin(home, configText, name) },
        { file: home.lockFile, before, text: lockText(rest) },
      ],
    });
    return { name };
  });
}

/** Switches a plugin on or off. */
export function enablePlugin(cwd: string, name: string, enabled: boolean): Promise<Listed> {
  return changing(cwd, async (state) => {
    demand(state, name);
    const text = withPlugin(state.home, state.configText, name, { enabled });
    commit(state.home.workDir, {
      moves: [],
      removes: [],
      writes: [{ file: state.home.configFile, before: state.configText, text }],
    });
    return { ...listed(state, name), enabled };
  });
}

/** Whether the files of installed plugins are still those that were installed. */
export function verifyPlugins(cwd: string, only?: string): Promise<{ name: string; ok: boolean; detail: string }[]> {
  return looking(cwd, async (state) => {
    if (only !== undefined) demand(state, only);
    const names = only === undefined ? Object.keys(state.lock).sort() : [only];
    return Promise.all(names.map(async (name) => ({ name, ...(await verified(state, name)) })));
  });
}

async function verified(state: State, name: string): Promise<{ ok: boolean; detail: string }> {
  const entry = state.lock[name];
  if (entry === undefined) return { ok: false, detail: 'not in the lock file' };
  const dir = folderOf(state.home, name);
  if (!existsSync(dir)) return { ok: false, detail: 'its folder is missing' };
  if (entry.integrity === linked) return { ok: true, detail: 'linked: its files may change' };
  try {
    const integrity = await integrityOf(dir);
    return integrity === entry.integrity
      ? { ok: true, detail: integrity }
      : { ok: false, detail: 'its files differ from the lock file' };
  } catch (error) {
    if (error instanceof PatchbayError) return { ok: false, detail: messageOf(error) };
    throw error;
  }
}
