import { hostname } from 'node:os';
import { join } from 'node:path';
import { type EventName, type Hooks, messageOf } from 'patchbay-sdk';
import { type Artifacts, openArtifacts } from './artifacts/index.ts';
import { databaseOf, openProjectLedger } from './config/database.ts';
import { holdProject } from './config/holder.ts';
import { hostLabels } from './config/labels.ts';
import { findProject, type Project, type RunSettings } from './config/project.ts';
import { stateDir } from './config/state.ts';
import { selectedCore, withEnvironment } from './containers/index.ts';
import type { LoadedPlugins } from './dialects/load.ts';
import { Quarantine } from './dialects/quarantine.ts';
import { Duty } from './hosts/duty.ts';
import { alone, type Peers } from './hosts/peers.ts';
import { PluginDuties } from './hosts/plugin-duties.ts';
import type { SharedPeers } from './hosts/shared.ts';
import { queueOf } from './inbound/queues.ts';
import type { Found } from './install/discover.ts';
import type { Kernel } from './kernel/index.ts';
import { type EventFields, type LedgerStore, newEvent, type PostgresOptions } from './ledger/index.ts';
import { hiding } from './log/redact.ts';
import { Observers } from './observers/index.ts';
import { type Edition, type Emitted, Emitter } from './outbound/emitter.ts';
import { tellingOfFailures } from './outbound/failed.ts';
import type { HttpClient } from './outbound/http-client.ts';
import { Lanes } from './outbound/lanes.ts';
import { pluginNews } from './outbound/plugin-news.ts';
import { noRights } from './outbound/sending/rights.ts';
import { Sender } from './outbound/sending/sender.ts';
import type { Reporting } from './reports/reporting.ts';
import { castingOf } from './runs/casting.ts';
import { lackingWith } from './runs/labels.ts';
import { LeftWork } from './runs/left-work.ts';
import { llmProvidersOf } from './runs/llm-providers.ts';
import { ProjectWorkshop, type WorkshopParts } from './runs/project-workshop.ts';
import { type Casts, Runs } from './runs/runs.ts';
import { Launcher } from './sandbox/launcher.ts';
import { openSurroundings, type Surroundings } from './surroundings.ts';

/** A host at work: what it writes down, and what it delivers. */
export interface Service {
  readonly ledger: LedgerStore;
  /**
   * Makes an event happen: written down, then told to those who watch it. Where it may be refused, resolves when all have
   * let it pass, and throws HOOK_REFUSED otherwise.
   */
  emit<E extends EventName>(type: E, fields: EventFields<E>): Promise<Emitted<E>>;
  readonly emitter: Emitter;
  /** The runs of the project. */
  readonly runs: Runs;
  /** Those who work on the same ledger. */
  readonly peers: Peers;
  /** What their turns reach besides files and programs. */
  readonly surroundings: Surroundings;
  /** Resolves when everything that can be delivered now has been. */
  rest(): Promise<void>;
  /** Finishes the deliveries under way; what is still owed is kept for the next host. */
  close(): Promise<void>;
}

/** That of a plugin which is not installed: a module of the project, or one that was loaded by hand. */
const unknown = { version: null, digest: null, hide: <T>(value: T) => value };

function editionOf({ entry, secrets, signing }: Found): Omit<Edition, 'rights'> {
  return { version: entry.version, digest: entry.integrity, hide: hiding([...secrets, ...signing]) };
}

function editionsOf({ found, quarantined, rights, secrets }: LoadedPlugins): (plugin: string) => Edition {
  const editions = new Map(found.map((one) => [one.name, editionOf(one)]));
  const kept = new Set(quarantined.map(({ name }) => name));
  const made = new Map<string, Edition>();
  return (plugin) => {
    let edition = made.get(plugin);
    if (edition === undefined) {
      const may = kept.has(plugin) ? null : (rights.get(plugin) ?? noRights);
      const hidden = [...(secrets.get(plugin) ?? []), ...(may?.signing ?? [])];
      edition = { ...(editions.get(plugin) ?? { ...unknown, hide: hiding(hidden) }), rights: may };
      made.set(plugin, edition);
    }
    return edition;
  };
}

/** What a host brings along to work. */
export interface ServiceParts {
  readonly kernel: Kernel<Hooks>;
  readonly project: Project;
  readonly plugins: LoadedPlugins;
  readonly reporting: Reporting;
  readonly launcher: Launcher;
  readonly http: () => Promise<HttpClient>;
  readonly env: NodeJS.ProcessEnv;
  /** The version of Patchbay. */
  readonly version: string;
  /** What this host has been given labels for, besides those of the environment. @default none */
  readonly labels?: readonly string[] | undefined;
  /** Hears what is wrong and stops nothing. */
  readonly warn: (message: string) => void;
  /** Hears how turns go. */
  readonly log?: WorkshopParts['log'] | undefined;
}

/** Begins to work in a project: as its only host, or as one of those that share a database. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { kernel, project, plugins, launcher, env, log } = parts;
  const projectDir = project.dir;
  const labels = hostLabels(parts.labels ?? [], env);
  const release = holdProject(stateDir(projectDir));
  let ledger: LedgerStore | undefined;
  let peers: Peers | undefined;
  let artifacts: Artifacts | undefined;
  try {
    await Launcher.sweep({ project: projectDir });
    const joined = await joinOthers(parts, labels);
    peers = joined ?? alone;
    const as: PostgresOptions = joined === undefined ? {} : { host: () => joined.id, sessions: joined.sessions };
    ledger = await openProjectLedger(project, env, as);
    plugins.views.attach(ledger);
    parts.reporting.attach(ledger);
    const edition = editionsOf(plugins);
    const emitter = new Emitter(kernel, ledger, edition);
    const duties = new PluginDuties(peers);
    const lanes = new Lanes(kernel, ledger, emitter, edition, duties);
    const failed = tellingOfFailures(emitter);
    const sender = new Sender({ kernel, store: ledger, editionOf: edition, client: parts.http, failed, duties });
    for (const news of await pluginNews(ledger, plugins)) {
      if (news.event === 'plugin:removed') {
        for (const name of [news.plugin, queueOf(news.plugin)]) await ledger.cancel(name, 'the plugin was removed');
      }
      await emitter.emit(news);
    }
    const [store, others] = [ledger, peers];
    const observed = { kernel, ledger: store, project: projectDir, warn: parts.warn };
    const observers = new Duty({
      ...{ peers, key: 'observers', warn: parts.warn },
      begin: () => Observers.start(observed),
    });
    await observers.start();
    await lanes.start();
    await sender.start();
    const quarantine = new Quarantine({ kernel, plugins, emit: (event) => emitter.emit(event) });
    const around = { kernel, project, plugins, ledger: store, emitter, launcher, env, warn: parts.warn };
    const surroundings = await openSurroundings(around);
    await surroundings.services.start();
    artifacts = await openArtifacts({ kernel, project, env, ...as });
    artifacts?.tidy().catch((error) => parts.warn(`old artifacts could not be removed: ${messageOf(error)}`));
    const desk = { project, launcher, env, log, artifacts, tools: surroundings.tools };
    const runs = await runsOf(kernel, store, emitter, edition, desk, {
      ...{ recheck: () => quarantine.look(), peers, labels },
    });
    const left =
      artifacts === undefined ? undefined : new LeftWork({ runs, folder: join(stateDir(projectDir), 'runs') });
    return {
      ledger: store,
      emitter,
      runs,
      peers: others,
      surroundings,
      emit: (type, fields) => emitter.emit(newEvent(type, fields)),
      rest: async () => {
        do {
          await lanes.rest();
          await sender.rest();
        } while (!lanes.isAtRest);
      },
      close: async () => {
        await surroundings.close();
        await lanes.close();
        await sender.close();
        await observers.close();
        await left?.close();
        await artifacts?.close();
        await store.close();
        await others.close();
        release();
      },
    };
  } catch (error) {
    await artifacts?.close();
    await ledger?.close();
    await peers?.close();
    release();
    throw error;
  }
}

/** Joins the hosts that share a database with this one; undefined if the project has its ledger to itself. */
async function joinOthers(
  { project, env, version, warn }: ServiceParts,
  labels: readonly string[],
): Promise<SharedPeers | undefined> {
  const url = databaseOf(project, env);
  if (url === undefined) return undefined;
  const { SharedPeers } = await import('./hosts/shared.ts');
  const facts = { name: hostname(), version, labels, serving: false, api: null, atOnce: null };
  return SharedPeers.join(url, { facts, warn, idFile: join(stateDir(project.dir), 'host-id') });
}

async function runsOf(
  kernel: Kernel<Hooks>,
  ledger: LedgerStore,
  emitter: Emitter,
  editionOf: (plugin: string) => Edition,
  {
    project,
    launcher,
    env,
    log,
    artifacts,
    tools,
  }: Pick<ServiceParts, 'project' | 'launcher' | 'env' | 'log'> & {
    readonly artifacts: Artifacts | undefined;
    readonly tools?: Surroundings['tools'];
  },
  host: { readonly recheck?: () => Promise<void>; readonly peers?: Peers; readonly labels?: readonly string[] } = {},
): Promise<Runs> {
  const settings = { ...project.runs, core: selectedCore(project.runs, env) };
  const casts = await castsOf(kernel, project.dir, settings, env);
  const { cores } = casts;
  const { peers = alone, labels = [], ...rechecking } = host;
  const hearing = { ...(log === undefined ? {} : { log }), ...rechecking };
  const llmProviders = llmProvidersOf(kernel, (plugin) => editionOf(plugin).hide);
  const shared = artifacts === undefined ? {} : { artifacts };
  const parts = { project: project.dir, launcher, cores, settings, env, llmProviders, ...shared, ...tools, ...hearing };
  // As the file is now: whoever was added or taken out meanwhile, is.
  const approvers = () => findProject(project.dir)?.runs.approvers ?? {};
  return new Runs({
    ledger,
    emitter,
    workshop: new ProjectWorkshop(parts),
    approvers,
    peers,
    lacks: lackingWith(labels, settings),
    ...casts,
  });
}

async function castsOf(
  kernel: Kernel<Hooks>,
  project: string,
  settings: RunSettings,
  env: NodeJS.ProcessEnv,
): Promise<Casts> {
  const registry = env['npm_config_registry'];
  return {
    cores: (await kernel.call('agentCore', {})).map((core) => withEnvironment(core, { project, registry })),
    coreOf: (template, role) => {
      const played = template.roles[role];
      return played === undefined ? role : castingOf(played, settings).core;
    },
  };
}

/**
 * Lets somebody see and change runs beside whoever is the host of the project: what is written down here, the host heeds, and
 * what plugins are owed for it, the host delivers.
 */
export async function besideHost<T>(
  parts: ServiceParts,
  act: (runs: Runs, ledger: LedgerStore) => Promise<T>,
): Promise<T> {
  const { kernel, project, plugins } = parts;
  const ledger = await openProjectLedger(project, parts.env);
  let artifacts: Artifacts | undefined;
  try {
    artifacts = await openArtifacts({ kernel, project, env: parts.env });
    const edition = editionsOf(plugins);
    const emitter = new Emitter(kernel, ledger, edition);
    return await act(await runsOf(kernel, ledger, emitter, edition, { ...parts, artifacts }), ledger);
  } finally {
    await artifacts?.close();
    await ledger.close();
  }
}
