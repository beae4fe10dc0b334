import { spawnSync } from 'node:child_process';
import { chooseRuntime, discover, findProject, type Host, Launcher, openHost, runtimeStatus } from 'patchbay-host';
import { listPlugins } from 'patchbay-host/install/listing';
import type { Endpoint } from 'patchbay-host/ledger';
import { errorCodes, messageOf, PatchbayError } from 'patchbay-sdk/errors';
import { builtins } from '../builtins.ts';
import type { Check } from '../check.ts';
import type { Run } from '../command.ts';
import { databaseChecks } from '../database-checks.ts';
import { projectLedger } from '../ledger.ts';
import { columns, firstLine } from '../text.ts';

/** So many failures in a row pause a handler. */
const pausedAfter = 5;

export const run: Run = async ({ cwd, version }) => {
  const checks = [
    node(),
    codegen(),
    git(),
    await processes(cwd),
    ...(await plugins(cwd)),
    ...(await pace(cwd, version)),
    ...(await containers(cwd, version)),
    ...(await databaseChecks(cwd)),
    ...(await ledger(cwd)),
  ];
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

/** Plugins of PACE: they say what they do only when they are loaded. */
async function pace(cwd: string, version: string): Promise<Check[]> {
  let host: Host | undefined;
  try {
    if ((findProject(cwd)?.pace ?? null) === null) return [];
    host = await openHost({ cwd, version });
    const installed = (await discover(cwd)).quarantined.map(({ name }) => name);
    const kept = host.quarantined.filter(({ name }) => !installed.includes(name));
    // The host has plugins of its own.
    const running = host.kernel.plugins().filter((name) => !name.startsWith('patchbay-')).length;
    return [
      { name: 'PACE', ok: true, detail: `${running} plugins are loaded with ${host.project?.pace?.file}`, fix: null },
      ...kept.map(({ name, reason, fix }) => ({ name: `plugin ${name}`, ok: false, detail: reason, fix })),
      ...host.warnings.map((detail) => ({ name: 'PACE', ok: false, detail, fix: null })),
    ];
  } catch (error) {
    if (!(error instanceof PatchbayError)) throw error;
    // What is wrong with the project file itself was told before.
    if (error.code === 'PROJECT_INVALID' && !error.file?.endsWith('pace.config.yaml')) return [];
    return [{ name: 'PACE', ok: false, detail: messageOf(error), fix: error.hint }];
  } finally {
    await host?.close();
  }
}

/** Where programs of the assistant run: the runtimes there are, and whether the one that is wanted can be used. */
async function containers(cwd: string, version: string): Promise<Check[]> {
  let host: Host | undefined;
  try {
    const settings = findProject(cwd)?.assistant;
    if (settings === undefined || Object.keys(settings.workspaces).length === 0) return [];
    host = await openHost({ cwd, version, builtins });
    const known = await runtimeStatus(host.kernel);
    const chosen = await chooseRuntime(host.kernel, settings.container.runtime, process.platform).catch(messageOf);
    const isChosen = typeof chosen !== 'string';
    const said = known.map(({ name, available }) => `${name} ${available ? 'is available' : 'is not'}`).join(', ');
    return [
      {
        name: 'containers',
        ok: isChosen,
        detail: isChosen ? `${chosen.name} is used; ${said}` : chosen,
        fix: isChosen ? null : errorCodes.RUNTIME_UNAVAILABLE.hint,
      },
    ];
  } catch (error) {
    if (error instanceof PatchbayError) return [];
    throw error;
  } finally {
    await host?.close();
  }
}

/** The ledger: whether it can be opened, and which handlers keep failing. */
async function ledger(cwd: string): Promise<Check[]> {
  try {
    if (findProject(cwd) === undefined) return [];
    const store = await projectLedger(cwd);
    if (store === undefined) return [{ name: 'ledger', ok: true, detail: 'empty', fix: null }];
    try {
      const countOf = (plugins: readonly { count: number }[]) => plugins.reduce((sum, { count }) => sum + count, 0);
      const [owed, unsent] = [countOf(await store.owedPlugins()), countOf(await store.unsentPlugins(new Date()))];
      const failing = await store.failing();
      const waiting = `${owed} deliveries owed, ${unsent} requests to be sent`;
      return [
        { name: 'ledger', ok: true, detail: `can be read and written; ${waiting}`, fix: null },
        ...failing.map(({ plugin, handler, failures, last, message }) => ({
          name: `handler ${handler} of ${plugin}`,
          ok: failures < pausedAfter,
          detail: `failed ${failures} times in a row, last at ${last}: ${firstLine(message)}`,
          fix: `mend it, try it with "patchbay hooks test", then "patchbay deliveries --failed --plugin ${plugin}"`,
        })),
        ...(await store.endpoints()).map(endpoint),
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

/** Where requests of a handler go that do not arrive. */
function endpoint({ plugin, handler, failures, last, message, disabled_at }: Endpoint): Check {
  const since = disabled_at === null ? '' : `nothing is sent since ${disabled_at}; `;
  return {
    name: `requests of ${handler} of ${plugin}`,
    ok: disabled_at === null,
    detail: `${since}${failures} given up in a row, last at ${last}: ${firstLine(message)}`,
    fix: `mend the receiver, then "patchbay deliveries replay ID" or "patchbay plugin enable ${plugin}"`,
  };
}
