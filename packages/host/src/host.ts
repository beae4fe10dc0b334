import { join } from 'node:path';
import { type AnyPlugin, type Hooks, hooks, type Log, PatchbayError, suggestion } from 'patchbay-sdk';
import { findProject, type Project } from './config/project.ts';
import { resolveReferences } from './config/references.ts';
import { stateDir } from './config/state.ts';
import { inspectHandler } from './dialects/inspect.ts';
import { type LoadedPlugins, loadPlugins } from './dialects/load.ts';
import { lendSdk } from './dialects/module.ts';
import { fromDefinition } from './dialects/native.ts';
import type { Quarantined } from './install/discover.ts';
import { Kernel, type KernelOptions, type Scope } from './kernel/index.ts';
import type { LedgerStore } from './ledger/index.ts';
import { PluginLogs } from './log/plugin-log.ts';
import type { HttpClient } from './outbound/http.ts';
import { Reporting } from './reports/reporting.ts';
import type { Runs } from './runs/runs.ts';
import type { Turn } from './runs/state.ts';
import { Launcher } from './sandbox/launcher.ts';
import type { Served, ServeOptions } from './serve.ts';
import type { Service } from './service.ts';

/** How a host is opened. */
export interface HostOptions extends Omit<KernelOptions, 'inspect'> {
  /** Where to look for the project, upward. */
  readonly cwd: string;
  /** The version of Patchbay, as plugins are told it. */
  readonly version: string;
  /** Makes the log of a plugin. @default a file for each in `.patchbay/logs` of the project */
  readonly log?: (plugin: string) => Log;
  /** Plugins that come with the program: they run in its process, before all others. */
  readonly builtins?: readonly AnyPlugin[];
  /** Hears how turns of runs go. */
  readonly turnLog?: (turn: Turn, line: string) => void;
  /** What turns can be done here that cannot be everywhere, besides what PATCHBAY_LABELS says. @default nothing */
  readonly labels?: readonly string[];
  /** The environment of which plugins see what they were granted. @default that of this process */
  readonly env?: NodeJS.ProcessEnv;
}

/** A host: the kernel with the plugins of a project. */
export interface Host {
  readonly kernel: Kernel<Hooks>;
  /** Undefined where there is no project file: a host without plugins. */
  readonly project: Project | undefined;
  /** Installed plugins that are kept from running, with the reason. */
  readonly quarantined: readonly Quarantined[];
  /** What is not wrong with the plugins but will not do what the operator thinks; `onWarning` has heard it. */
  readonly warnings: readonly string[];
  /** Puts a plugin in that was defined by hand. */
  load(definition: unknown, config?: unknown): Scope;
  /**
   * Goes to work as the only host of the project: opens its ledger, makes the deliveries that are owed, and tells the
   * plugins that all of them are there. Throws PROJECT_MISSING, PROJECT_HELD, and what may be wrong with the ledger.
   */
  start(): Promise<Service>;
  /** Sees and changes runs beside whoever is the host of the project, who heeds it. */
  beside<T>(act: (runs: Runs, ledger: LedgerStore) => Promise<T>): Promise<T>;
  /** Goes to work as `start` does, and serves: carries on all runs, takes webhooks, answers the API. See `serveProject`. */
  serve(options?: ServeOptions): Promise<Omit<Served, 'close'>>;
  /** Ends the work, takes all plugins out, the last one first, and ends everything that runs for them. */
  close(): Promise<void>;
}

/** Opens a host in a project, with its plugins. It does no work until it is started. */
export async function openHost(options: HostOptions): Promise<Host> {
  const { cwd, version, env = process.env } = options;
  const project = findProject(cwd);
  const dir = project?.dir ?? cwd;
  const kernel = new Kernel(hooks, { ...options, inspect: inspectHandler });
  const logs = new PluginLogs(join(stateDir(dir), 'logs'));
  const logOf = options.log ?? ((plugin: string, secrets?: readonly string[]) => logs.of(plugin, secrets));
  const sdk = lendSdk();
  const launcher = new Launcher({ project: dir });
  let client: Promise<HttpClient> | undefined;
  const http = () => {
    client ??= import('./outbound/http.ts').then(({ HttpClient }) => new HttpClient());
    return client;
  };
  let plugins: LoadedPlugins | undefined;
  let reporting: Reporting | undefined;
  let service: Service | undefined;
  let served: Served | undefined;
  const close = async () => {
    await served?.close();
    await service?.close();
    for (const plugin of kernel.plugins().reverse()) await kernel.unregister(plugin);
    await Promise.all([launcher.close(), client?.then((made) => made.close())]);
    logs.close();
    sdk.deregister();
  };
  try {
    for (const { definition, config, secrets } of builtinsOf(options.builtins ?? [], project, env)) {
      const registration = fromDefinition(definition, config, (plugin) => logOf(plugin, secrets));
      kernel.register({ ...registration, isCompiled: true });
    }
    if (project !== undefined) {
      plugins = await loadPlugins(kernel, project, { launcher, http, project: dir, env }, logOf);
      for (const warning of plugins.warnings) options.onWarning?.(warning);
      const own = (options.builtins ?? []).map(({ name }) => name);
      reporting = new Reporting({ project, kernel, builtins: own });
      for (const registration of reporting.registrations()) kernel.register(registration);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const partsOf = () => {
    if (plugins !== undefined && project !== undefined && reporting !== undefined) {
      const warn = (message: string) => options.onWarning?.(message);
      return {
        kernel,
        project,
        plugins,
        reporting,
        launcher,
        http,
        env,
        version,
        warn,
        labels: options.labels,
        log: options.turnLog,
      };
    }
    throw new PatchbayError('PROJECT_MISSING', `there is no project in ${cwd} nor above it`);
  };
  const start = async () => {
    // Not before it is needed: most commands only look.
    const { startService } = await import('./service.ts');
    service = await startService(partsOf());
    await kernel.call('host:ready', { version, project: dir });
    return service;
  };
  return {
    kernel,
    project,
    quarantined: plugins?.quarantined ?? [],
    warnings: plugins?.warnings ?? [],
    load: (definition, config) => kernel.register(fromDefinition(definition, config, logOf)),
    beside: async (act) => {
      const { besideHost } = await import('./service.ts');
      return besideHost(partsOf(), act);
    },
    start,
    serve: async (serving) => {
      const { serveProject } = await import('./serve.ts');
      served = await serveProject({ ...partsOf(), service: await start() }, serving);
      return served;
    },
    close,
  };
}

/** The plugins that come with the program, as the project wants them. Throws PROJECT_INVALID, CONFIG_INVALID. */
function builtinsOf(builtins: readonly AnyPlugin[], project: Project | undefined, env: NodeJS.ProcessEnv) {
  const said = project?.builtins ?? {};
  for (const name of Object.keys(said)) {
    const names = builtins.map((builtin) => builtin.name);
    if (names.includes(name)) continue;
    const what = `"plugins.${name}" needs a "path" to its module, or must be the name of a plugin that comes with Patchbay`;
    const hint = names.length === 0 ? '' : `, ${suggestion(name, names)}`;
    throw new PatchbayError('PROJECT_INVALID', `${project?.file}: ${what}${hint}`, { field: `plugins.${name}` });
  }
  return builtins.flatMap((definition) => {
    const { enabled, config } = said[definition.name] ?? { enabled: true, config: {} };
    return enabled ? [{ definition, ...resolveReferences(definition.name, config, env) }] : [];
  });
}
