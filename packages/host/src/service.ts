import type { EventName, Hooks } from 'patchbay-sdk';
import { holdProject } from './config/holder.ts';
import type { Project } from './config/project.ts';
import { ledgerFile, stateDir } from './config/state.ts';
import type { Discovered, Found } from './install/discover.ts';
import type { Kernel } from './kernel/index.ts';
import { type EventFields, type LedgerStore, newEvent, openLedger } from './ledger/index.ts';
import { hiding } from './log/redact.ts';
import { type Edition, type Emitted, Emitter } from './outbound/emitter.ts';
import { Lanes } from './outbound/lanes.ts';
import { pluginNews } from './outbound/plugin-news.ts';
import { castingOf, ProjectWorkshop, type WorkshopParts } from './runs/project-workshop.ts';
import { type Casts, Runs } from './runs/runs.ts';
import { Launcher } from './sandbox/launcher.ts';

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
  /** Resolves when everything that can be delivered now has been. */
  rest(): Promise<void>;
  /** Finishes the deliveries under way; what is still owed is kept for the next host. */
  close(): Promise<void>;
}

/** That of a plugin which is not installed: a module of the project, or one that was loaded by hand. */
const unknown: Edition = { version: null, digest: null, hide: (value) => value };

function editionOf({ entry, secrets }: Found): Edition {
  return { version: entry.version, digest: entry.integrity, hide: hiding(secrets) };
}

function editionsOf({ found }: Discovered): (plugin: string) => Edition {
  const editions = new Map(found.map((one) => [one.name, editionOf(one)]));
  return (plugin) => editions.get(plugin) ?? unknown;
}

/** What a host brings along to work. */
export interface ServiceParts {
  readonly kernel: Kernel<Hooks>;
  readonly project: Project;
  readonly plugins: Discovered;
  readonly launcher: Launcher;
  readonly env: NodeJS.ProcessEnv;
  /** Hears how turns go. */
  readonly log?: WorkshopParts['log'] | undefined;
}

/** Begins to work in a project, as its only host. */
export async function startService({ kernel, project, plugins, launcher, env, log }: ServiceParts): Promise<Service> {
  const projectDir = project.dir;
  const release = holdProject(stateDir(projectDir));
  let ledger: LedgerStore | undefined;
  try {
    await Launcher.sweep({ project: projectDir });
    ledger = await openLedger(ledgerFile(projectDir));
    const edition = editionsOf(plugins);
    const emitter = new Emitter(kernel, ledger, edition);
    const lanes = new Lanes(kernel, ledger, emitter, edition);
    for (const news of await pluginNews(ledger, plugins)) {
      if (news.event === 'plugin:removed') await ledger.cancel(news.plugin, 'the plugin was removed');
      await emitter.emit(news);
    }
    await lanes.start();
    const store = ledger;
    const runs = await runsOf(kernel, store, emitter, { project, launcher, env, log });
    return {
      ledger: store,
      emitter,
      runs,
      emit: (type, fields) => emitter.emit(newEvent(type, fields)),
      rest: () => lanes.rest(),
      close: async () => {
        await lanes.close();
        await store.close();
        release();
      },
    };
  } catch (error) {
    await ledger?.close();
    release();
    throw error;
  }
}

async function runsOf(
  kernel: Kernel<Hooks>,
  ledger: LedgerStore,
  emitter: Emitter,
  { project, launcher, env, log }: Pick<ServiceParts, 'project' | 'launcher' | 'env' | 'log'>,
): Promise<Runs> {
  const casts = await castsOf(kernel, project);
  const settings = project.runs;
  const { cores } = casts;
  const parts = { project: project.dir, launcher, cores, settings, env, ...(log === undefined ? {} : { log }) };
  return new Runs({ ledger, emitter, workshop: new ProjectWorkshop(parts), ...casts });
}

async function castsOf(kernel: Kernel<Hooks>, { runs }: Project): Promise<Casts> {
  return {
    cores: await kernel.call('agentCore', {}),
    coreOf: (template, role) => {
      const played = template.roles[role];
      return played === undefined ? role : castingOf(played, runs).core;
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
  const ledger = await openLedger(ledgerFile(project.dir));
  try {
    const emitter = new Emitter(kernel, ledger, editionsOf(plugins));
    return await act(await runsOf(kernel, ledger, emitter, parts), ledger);
  } finally {
    await ledger.close();
  }
}
