import { spawnSync } from 'node:child_process';
import { discover, findProject, Launcher } from 'patchbay-host';
import { listPlugins } from 'patchbay-host/install/manage';
import { messageOf, PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';
import { columns } from '../text.ts';

/** So many failures in a row pause a handler. */
const pausedAfter = 5;

/** One thing that was looked at. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null if nothing can be better. */
  readonly fix: string | null;
}

export const run: Run = async ({ cwd }) => {
  const checks = [node(), codegen(), git(), await processes(cwd), ...(await plugins(cwd)), ...(await ledger(cwd))];
  const lines = checks.map(({ name, ok, detail, fix }) => [
    ok ? 'ok' : '!!',
    name,
    fix === null ? detail : `${detail}; ${fix}`,
  ]);
  return { json: { checks }, text: columns(lines), exitCode: checks.every(({ ok }) => ok) ? 0 : 1 };
};

function node(): Check {
  return { name: 'node', ok: true, detail: process.version, fix: null };
}

/** Not an error: hooks are only slower without it. */
function codegen(): Check {
  try {
    new Function('')();
    return { name: 'code generation', ok: true, detail: 'hot hooks get code of their own', fix: null };
  } catch {
    return { name: 'code generation', ok: true, detail: 'forbidden here; hooks are called by plain loops', fix: null };
  }
}

function git(): Check {
  const { status, stdout } = spawnSync('git', ['--version'], { encoding: 'utf8' });
  if (status === 0) return { name: 'git', ok: true, detail: stdout.trim(), fix: null };
  return { name: 'git', ok: false, detail: 'not found', fix: 'install git to install plugins from repositories' };
}

/** What becomes of processes that a plugin starts and leaves behind. */
async function processes(cwd: string): Promise<Check> {
  const name = 'processes of plugins';
  const launcher = new Launcher({ project: cwd });
  if ((await launcher.confinement().finally(() => launcher.close())) === 'namespace') {
    return { name, ok: true, detail: 'in a namespace of their own: none of them gets away', fix: null };
  }
  const detail = 'in a process group: one that leaves it (setsid) is not ended';
  const fix = process.platform === 'linux' ? 'install bubblewrap, and let it make namespaces' : null;
  return { name, ok: true, detail, fix };
}

/** The project, and each of its plugins: whether it runs, and why not. */
async function plugins(cwd: string): Promise<Check[]> {
  try {
    const listed = await listPlugins(cwd);
    const { quarantined } = await discover(cwd);
    const running = listed.filter(({ name }) => quarantined.every((one) => one.name !== name));
    return [
      { name: 'project', ok: true, detail: `${listed.length} plugins`, fix: null },
      ...running.map(({ name, version, enabled }) => {
        const detail = `${version || 'a module of the project'}${enabled ? '' : ', disabled'}`;
        return { name: `plugin ${name}`, ok: true, detail, fix: null };
      }),
      ...quarantined.map(({ name, reason, fix }) => ({ name: `plugin ${name}`, ok: false, detail: reason, fix })),
    ];
  } catch (error) {
    if (!(error instanceof PatchbayError)) throw error;
    if (error.code === 'PROJECT_MISSING') return [{ name: 'project', ok: true, detail: 'none here', fix: null }];
    return [{ name: 'project', ok: false, detail: messageOf(error), fix: error.hint }];
  }
}

/** The ledger: whether it can be opened, and which handlers keep failing. */
async function ledger(cwd: string): Promise<Check[]> {
  try {
    if (findProject(cwd) === undefined) return [];
    const store = await projectLedger(cwd);
    if (store === undefined) return [{ name: 'ledger', ok: true, detail: 'empty', fix: null }];
    try {
      const owed = (await store.owedPlugins()).reduce((sum, { count }) => sum + count, 0);
      const failing = await store.failing();
      return [
        { name: 'ledger', ok: true, detail: `can be read and written; ${owed} deliveries owed`, fix: null },
        ...failing.map(({ plugin, handler, failures, last, message }) => ({
          name: `handler ${handler} of ${plugin}`,
          ok: failures < pausedAfter,
          detail: `failed ${failures} times in a row, last at ${last}: ${message?.split('\n')[0]}`,
          fix: `mend it, try it with "patchbay hooks test", then "patchbay deliveries --failed --plugin ${plugin}"`,
        })),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof PatchbayError)) throw error;
    // What is wrong with the project was told before.
    if (error.code === 'PROJECT_INVALID') return [];
    return [{ name: 'ledger', ok: false, detail: messageOf(error), fix: error.hint }];
  }
}
