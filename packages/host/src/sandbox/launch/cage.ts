import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bubblewrapWorks, confined } from '../bubblewrap.ts';
import type { Confinement, Job } from '../job.ts';
import { descendantsOf, isDeserted, isGroupGone, signalTo } from './proc.ts';

/** Something that nobody can kill, such as a read from a dead network disk, is not waited for longer. */
const patienceMs = 2_000;

/** All that a job has started, as far as it can be found. */
export interface Cage {
  /** Asks all of it to end. */
  terminate(): void;
  /** Ends all of it. */
  kill(): void;
  /** Ends what is left of it once the process that was started has ended. */
  killRest(): void;
  /** Settles when nothing of it is left, or when waiting has no point. */
  gone(): Promise<void>;
}

/** Where there are no namespaces: a process that leaves the group is lost. */
export function groupCage(group: number): Cage {
  const kill = () => void signalTo(-group, 'SIGKILL');
  return {
    terminate: () => void signalTo(-group, 'SIGTERM'),
    kill,
    killRest: kill,
    gone: () => until(() => isGroupGone(group)),
  };
}

/**
 * Two processes of bubblewrap stand around the job: `outer`, and the first one of the namespace, known as soon as
 * `init` gives it. If one of them dies, the kernel ends all others, without any grace.
 */
export function namespaceCage(outer: number, init: () => number | undefined): Cage {
  const kill = () => {
    // Until all is set up the first process is in this group, and not yet bound to the life of `outer`.
    signalTo(-outer, 'SIGKILL');
    const first = init();
    if (first !== undefined) signalTo(first, 'SIGKILL');
  };
  let isEmpty = false;
  return {
    kill,
    killRest: () => {
      const first = init();
      // With the first one all others end. Most often there are none by now, and there can be none again.
      isEmpty = first !== undefined && isDeserted(first);
      if (first === undefined) kill();
      else if (!isEmpty) signalTo(first, 'SIGKILL');
    },
    terminate: () => {
      // Those are looked for in the system: `init` may not have been told yet of one that runs.
      const [, ...inside] = descendantsOf(outer);
      if (inside.length === 0) kill();
      else for (const pid of inside) signalTo(pid, 'SIGTERM');
    },
    gone: () => until(() => isEmpty || isDeserted(init() ?? outer)),
  };
}

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + patienceMs;
  for (let pauseMs = 1; !done() && Date.now() < end; pauseMs = Math.min(2 * pauseMs, 50)) await sleep(pauseMs);
}

const own = [...confined, '--new-session', '--json-status-fd'];

/** What the loader of programs heeds, in bubblewrap too, which nothing confines yet. */
const ofLoader = /^(?:LD_|GLIBC_|MALLOC_|GCONV_PATH$|LOCPATH$|NLSPATH$)/;

/** The environment in which bubblewrap itself is safe to start; `inNamespace` gives the job the rest. */
export function safeFor(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ofLoader.test(name)));
}

/** The command that runs `argv` in a namespace of its own, with a /proc that shows nothing else; status comes on 3. */
export function inNamespace(
  bwrap: string,
  {
    cwd,
    env,
    readOnly = [],
    writable = [],
    hidden = [],
  }: Pick<Job, 'cwd' | 'env' | 'readOnly' | 'writable' | 'hidden'>,
  argv: readonly string[],
): string[] {
  const guarded = [
    ...readOnly.flatMap((path) => ['--ro-bind-try', path, path]),
    ...writable.flatMap((path) => ['--bind-try', path, path]),
    ...hidden.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // Otherwise root could mount them anew.
    ...(readOnly.length + hidden.length > 0 ? ['--cap-drop', 'ALL'] : []),
  ];
  const loader = Object.entries(env).filter(([name]) => ofLoader.test(name));
  const set = loader.flatMap(([name, value]) => ['--setenv', name, value]);
  return [bwrap, ...own, '3', ...guarded, ...set, '--chdir', cwd, '--', ...argv];
}

/**
 * The command of a job that makes its own namespace by bubblewrap, or by a program that becomes bubblewrap, made to tell its
 * status on 3.
 */
export function ownNamespace(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => basename(word) === 'bwrap');
  return [...argv.slice(0, at + 1), '--json-status-fd', '3', ...argv.slice(at + 1)];
}

/** What this system allows, given where bubblewrap is. */
export async function probe(bwrap: string | undefined): Promise<Confinement> {
  return bwrap !== undefined && (await bubblewrapWorks(bwrap, [...own, '2'])) ? 'namespace' : 'group';
}
