import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Job } from '../job.ts';
import { inNamespace, loaderOptions, namespaceOptions, ownNamespace, safeFor } from './cage.ts';
import { Gate } from './gate.ts';
import { type FolderPlace, JobFolders } from './job-folders.ts';
import type { Pipes } from './pipes.ts';
import { check } from './preflight.ts';
import { signalTo } from './proc.ts';
import { Streams } from './streams.ts';

/** Where jobs run. */
export interface Place extends FolderPlace {
  /** What their streams are made of. */
  readonly pipes: Pipes;
  /** Bubblewrap, where it works. */
  readonly bwrap: string | undefined;
}

/** A job that was started, with what it has. */
export interface Started {
  readonly child: ChildProcess;
  readonly folders: JobFolders;
  readonly streams: Streams;
  /** What bubblewrap tells of it, where it is in a namespace. */
  readonly status: Readable | undefined;
}

/**
 * Starts the program of a job; it reads what it is written if it `talks`. Throws CannotStart, or what the system says, and has
 * left nothing then.
 */
export function start(job: Job, program: string, place: Place, talks: boolean): Started {
  const folders = new JobFolders(place);
  const gate = gateFor(job, place);
  const prepare = () => prepared(job, program, folders);
  let streams: Streams | undefined;
  let child: ChildProcess | undefined;
  try {
    const env = { ...job.env, ...(gate === undefined ? prepare() : { TMPDIR: folders.tmp }) };
    const input = job.stdin === undefined ? undefined : folders.put('stdin', job.stdin);
    streams = new Streams(place.pipes, input, talks);
    const { argv, tells } = commandFor(job, program, place.bwrap, gate);
    const [command = '', ...args] = argv;
    const stdio = [
      ...streams.stdio,
      ...(tells ? ['pipe' as const] : []),
      ...(gate === undefined ? [] : [gate.reading]),
    ];
    child = spawn(command, args, { cwd: job.cwd, env: tells ? safeFor(env) : env, detached: true, stdio });
    gate?.give(namespaceOptions(job, prepare()));
  } catch (error) {
    end(child);
    streams?.discard();
    folders.remove();
    throw error;
  } finally {
    gate?.close();
  }
  streams.attach(child);
  return { child, folders, streams, status: (child.stdio[3] ?? undefined) as Readable | undefined };
}

/** One that has guards may have more options than fit into a pipe. */
function gateFor({ namespace, readOnly, writable, hidden }: Job, { bwrap, pipes }: Place): Gate | undefined {
  const isPlain = [namespace, readOnly, writable, hidden].every((one) => one === undefined);
  const pipe = bwrap !== undefined && isPlain ? pipes.take() : undefined;
  return pipe && new Gate(pipe);
}

/** Sees that a job can be started, and makes all that it is given; gives the variables by which it finds it. */
function prepared(job: Job, program: string, folders: JobFolders): Record<string, string> {
  check(job, program);
  folders.make();
  return { ...folders.give(job.files ?? {}), TMPDIR: folders.tmp };
}

/** What is started for a job, and whether it is bubblewrap, which tells of the job in it on 3. */
function commandFor(job: Job, program: string, bwrap: string | undefined, gate: Gate | undefined) {
  const own = [program, ...job.argv.slice(1)];
  if (job.namespace === 'own') return { argv: ownNamespace(own), tells: true };
  if (job.namespace === 'none' || bwrap === undefined) return { argv: own, tells: false };
  if (gate === undefined) return { argv: inNamespace(bwrap, job, own), tells: true };
  return { argv: [bwrap, ...loaderOptions(job.env), ...Gate.options, '--', ...own], tells: true };
}

/** It may wait at a gate, and must not go on. */
function end(child: ChildProcess | undefined): void {
  child?.on('error', () => undefined);
  child?.stdio[3]?.destroy();
  signalTo(-(child?.pid ?? 0), 'SIGKILL');
}
