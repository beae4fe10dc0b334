import { basename } from 'node:path';
import { type ContainerSpec, type Hooks, messageOf } from 'patchbay-sdk';
import type { AssistantWorkspace, ContainerSettings } from '../config/assistant-settings.ts';
import type { Kernel } from '../kernel/index.ts';
import type { Job } from '../sandbox/job.ts';
import { asked, type Runtime } from './asked.ts';
import { chooseRuntime, knownRuntimes, noRuntime, withoutImages } from './choose.ts';
import { type Facts, layoutOf } from './layout.ts';
import { checkedMounts } from './mount-rules.ts';
import { ContainerNames } from './names.ts';

/** What containers are run with. */
export interface ContainersParts {
  readonly kernel: Kernel<Hooks>;
  /** Root of the project. */
  readonly project: string;
  readonly settings: ContainerSettings;
  /** The environment of the host, on whose PATH programs are found. @default that of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default that of this machine */
  readonly platform?: NodeJS.Platform;
  /** Hears what the operator should know. @default nobody does */
  readonly log?: (line: string) => void;
}

type Wanted = AssistantWorkspace['container'];

/** Makes the namespace by itself that programs run in. */
const bubblewrap = 'bwrap';
/** What a program in an image has of its own. */
const ofImages = ['PATH', 'HOME', 'TMPDIR'];

/** Has the programs of workspaces run in containers, and sees that none outlives its host for longer than to the next start. */
export class Containers {
  readonly #parts: ContainersParts;
  readonly #names: ContainerNames;
  /** By what was asked for. What failed is tried again. */
  readonly #ready = new Map<string, Promise<Runtime>>();
  readonly #warned = new Set<string>();
  #cleaning: Promise<unknown> = Promise.resolve();

  constructor(parts: ContainersParts) {
    this.#parts = parts;
    this.#names = new ContainerNames(parts.project);
  }

  /**
   * Chooses the runtime of the project, has it run, and removes what dead hosts of this project left in it; in the others,
   * later. Throws RUNTIME_UNAVAILABLE, and what may be wrong with the runtime. Gives its name.
   */
  async start(): Promise<string> {
    const { settings } = this.#parts;
    const chosen = this.#runtime(settings.runtime, settings.image);
    this.#cleaning = this.#cleanOthers(chosen).catch(() => undefined);
    return (await chosen).name;
  }

  /** The job that runs a program of a workspace where that is to be. Throws as `start`, and MOUNT_REFUSED. */
  async surround(facts: Facts, workspace: AssistantWorkspace, job: Job): Promise<Job> {
    const { project, settings, env: hostEnv = process.env } = this.#parts;
    const { container, repoAccess } = workspace;
    const image = container.image ?? (container.runtime === withoutImages ? null : settings.image);
    const runtime = await this.#runtime(container.runtime ?? settings.runtime, image);
    // As it would run without us: confined as scripts are.
    if (runtime.name === noRuntime) return job;
    await this.#warnOfLimits(runtime, workspace);
    const configured = checkedMounts(project, container.mounts);
    const mounts = layoutOf({ project, image, repoAccess, path: hostEnv['PATH'], configured }, facts, job);
    const command = await asked(runtime, 'command', this.#spec(facts, workspace, image, mounts, job));
    if (command === undefined) throw new Error(`container runtime "${runtime.name}" cannot run programs`);
    const { readOnly, writable, hidden, ...rest } = job;
    const { argv, env, after } = command;
    const isBubblewrap = runtime.members.cli === bubblewrap && argv.some((word) => basename(word) === bubblewrap);
    const how = {
      namespace: isBubblewrap ? ('own' as const) : ('none' as const),
      ...(after === undefined ? {} : { after }),
    };
    return { ...rest, argv, env, ...how };
  }

  /** Removes what is left of this process's containers. Never rejects. */
  async close(): Promise<void> {
    await this.#cleaning;
    const used = await Promise.allSettled(this.#ready.values());
    const runtimes = new Set(used.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
    await Promise.all([...runtimes].map((one) => this.#remove(one, (name) => name.startsWith(this.#names.own))));
  }

  #runtime(name: string | null, image: string | null): Promise<Runtime> {
    const key = JSON.stringify([name, image !== null]);
    const known = this.#ready.get(key);
    if (known !== undefined) return known;
    const made = this.#make(name, image);
    this.#ready.set(key, made);
    made.catch(() => this.#ready.delete(key));
    return made;
  }

  async #make(name: string | null, image: string | null): Promise<Runtime> {
    const { kernel, platform = process.platform } = this.#parts;
    const runtime = await chooseRuntime(kernel, name, platform, image);
    await asked(runtime, 'ensureRunning');
    await this.#remove(runtime, (container) => this.#names.isOrphan(container));
    return runtime;
  }

  #spec(
    { run_id, turn_id }: Facts,
    { folder, container }: AssistantWorkspace,
    image: string | null,
    mounts: ContainerSpec['mounts'],
    { argv, cwd, env }: Job,
  ): ContainerSpec {
    const own = Object.entries(env).filter(([name]) => image === null || !ofImages.includes(name));
    return {
      name: this.#names.next(),
      labels: {
        'patchbay.project': this.#parts.project,
        'patchbay.workspace': folder,
        'patchbay.run': `${run_id}/${turn_id}`,
      },
      ...(image === null ? {} : { image }),
      argv,
      cwd,
      env: Object.fromEntries(own),
      mounts,
      network: container.network,
      limits: limitsOf(container),
    };
  }

  /** What was chosen is clean by then. */
  async #cleanOthers(chosen: Promise<Runtime>): Promise<void> {
    const first = await chosen.catch(() => undefined);
    const others = (await knownRuntimes(this.#parts.kernel)).filter(({ plugin }) => plugin !== first?.plugin);
    const clean = async (runtime: Runtime) => {
      const isThere = await asked(runtime, 'isAvailable').catch(() => false);
      if (isThere === true) await this.#remove(runtime, (name) => this.#names.isOrphan(name));
    };
    await Promise.all(others.map(clean));
  }

  /** What cannot be removed now is there at the next start. */
  async #remove(runtime: Runtime, which: (name: string) => boolean): Promise<void> {
    try {
      const running = (await asked(runtime, 'listRunningContainers', this.#names.prefix)) ?? [];
      await Promise.all(running.filter(which).map((name) => asked(runtime, 'remove', name)));
    } catch (error) {
      this.#parts.log?.(`containers of dead hosts may be left: ${messageOf(error)}`);
    }
  }

  async #warnOfLimits(runtime: Runtime, { folder, container }: AssistantWorkspace): Promise<void> {
    const wanted = Object.keys(limitsOf(container)) as (keyof ContainerSpec['limits'])[];
    const key = JSON.stringify([runtime.name, folder]);
    if (wanted.length === 0 || this.#warned.has(key)) return;
    this.#warned.add(key);
    const kept = await asked(runtime, 'limits').catch(() => undefined);
    const lost = kept === undefined ? [] : wanted.filter((limit) => !kept[limit]);
    if (lost.length > 0) {
      this.#parts.log?.(
        `workspace "${folder}": runtime "${runtime.name}" does not keep ${lost.join(', ')} on this machine`,
      );
    }
  }
}

function limitsOf({ cpus, memoryMb, pids }: Wanted): ContainerSpec['limits'] {
  return {
    ...(cpus === null ? {} : { cpus }),
    ...(memoryMb === null ? {} : { memoryMb }),
    ...(pids === null ? {} : { pids }),
  };
}
