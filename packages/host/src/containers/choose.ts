import { type ContainerRuntime, type Hooks, messageOf, PatchbayError } from 'patchbay-sdk';
import { type Kernel, newRecord } from '../kernel/index.ts';
import { asked, type Runtime } from './asked.ts';

/** What is looked for where nobody has named a runtime, in this order; those of other plugins come after. */
const order: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['bubblewrap', 'podman', 'docker'],
  darwin: ['apple', 'podman', 'docker'],
};
const elsewhere = ['podman', 'docker'];
/** Runs programs as they are. */
export const noRuntime = 'none';
/** Runs the system of the host, and no images. */
export const withoutImages = 'bubblewrap';

/** How a runtime stands. */
export interface RuntimeStatus {
  readonly name: string;
  readonly plugin: string;
  readonly available: boolean;
  /** Why it cannot be used; null if it can, or does not say. */
  readonly problem: string | null;
}

/** All runtimes of all plugins; of those of one name, that which was registered last. Never rejects. */
export async function knownRuntimes(kernel: Kernel<Hooks>): Promise<readonly Runtime[]> {
  const record = newRecord();
  await kernel.call('containerRuntime', {}, { record });
  const all = record.answers.map(({ plugin, answer }): Runtime => {
    const members = answer as ContainerRuntime;
    return { name: members.name, plugin, members };
  });
  return all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
}

/** How all runtimes stand. Never rejects. */
export async function runtimeStatus(kernel: Kernel<Hooks>): Promise<readonly RuntimeStatus[]> {
  return Promise.all((await knownRuntimes(kernel)).map(statusOf));
}

/**
 * The runtime by name, or the first that is available here; only one that runs images, if an image is wanted. `none` must be
 * named. Throws RUNTIME_UNAVAILABLE, which tells of all there are.
 */
export async function chooseRuntime(
  kernel: Kernel<Hooks>,
  override: string | null,
  platform: NodeJS.Platform,
  image: string | null = null,
): Promise<Runtime> {
  const known = await knownRuntimes(kernel);
  if (override !== null) return named(known, override);
  const tried: RuntimeStatus[] = [];
  for (const runtime of candidates(known, platform)) {
    if (image !== null && runtime.name === withoutImages) continue;
    const status = await statusOf(runtime);
    if (status.available) return runtime;
    tried.push(status);
  }
  const what = image === null ? 'no container runtime' : `no container runtime that runs the image "${image}"`;
  throw new PatchbayError('RUNTIME_UNAVAILABLE', `${what} is available here: ${told(tried)}`, {
    hint: 'Install bubblewrap, podman or docker; or say in patchbay.yaml, if agents may run without: container: { runtime: none }.',
  });
}

function candidates(known: readonly Runtime[], platform: NodeJS.Platform): readonly Runtime[] {
  const first = order[platform] ?? elsewhere;
  const others = known.map(({ name }) => name).filter((name) => !all.has(name) && name !== noRuntime);
  return [...first, ...others].flatMap((name) => {
    const runtime = known.find((one) => one.name === name && one.members.command !== undefined);
    return runtime ?? [];
  });
}

const all = new Set([...Object.values(order).flat(), ...elsewhere]);

async function named(known: readonly Runtime[], name: string): Promise<Runtime> {
  const runtime = known.find((one) => one.name === name);
  if (runtime === undefined) {
    const statuses = await Promise.all(known.map(statusOf));
    const hint = 'Correct container: { runtime: … } in patchbay.yaml, or install the plugin that provides it.';
    throw new PatchbayError(
      'RUNTIME_UNAVAILABLE',
      `there is no container runtime "${name}"; known are ${told(statuses)}`,
      {
        hint,
      },
    );
  }
  if (runtime.members.command === undefined) {
    throw new PatchbayError(
      'RUNTIME_UNAVAILABLE',
      `container runtime "${name}" of plugin "${runtime.plugin}" cannot run programs`,
      {
        plugin: runtime.plugin,
        hint: 'Name another one, or have its author provide "command".',
      },
    );
  }
  const status = await statusOf(runtime);
  if (status.available) return runtime;
  // Its service may only have to be started.
  const why = await whyNot(runtime);
  if (why === null && (await statusOf(runtime)).available) return runtime;
  throw new PatchbayError(
    'RUNTIME_UNAVAILABLE',
    `container runtime "${name}" is not available: ${why ?? told([status])}`,
    {
      plugin: runtime.plugin,
      hint: 'Do what it says, or name another runtime in patchbay.yaml: container: { runtime: … }.',
    },
  );
}

async function statusOf(runtime: Runtime): Promise<RuntimeStatus> {
  const { name, plugin } = runtime;
  try {
    return { name, plugin, available: (await asked(runtime, 'isAvailable')) ?? false, problem: null };
  } catch (error) {
    return { name, plugin, available: false, problem: messageOf(error) };
  }
}

async function whyNot(runtime: Runtime): Promise<string | null> {
  try {
    await asked(runtime, 'ensureRunning');
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function told(statuses: readonly RuntimeStatus[]): string {
  const one = ({ name, available, problem }: RuntimeStatus) =>
    `${name} (${available ? 'available' : 'not available'}${problem === null ? '' : `: ${problem}`})`;
  return statuses.length === 0 ? 'none at all' : statuses.map(one).join(', ');
}
