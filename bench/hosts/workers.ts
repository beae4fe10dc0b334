import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Processes that work until they are told to end. */
export interface Workers {
  /** Their process ids. */
  readonly pids: readonly number[];
}

/** A process of one of the files here: which, with which arguments, and what it finds in its environment. */
export interface Worker {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Starts processes, does something when all of them have said that they work, and has them end. */
export async function withWorkers<T>(wanted: readonly Worker[], act: (workers: Workers) => Promise<T>): Promise<T> {
  const started: Started[] = [];
  try {
    // The first makes the tables: DBOS cannot stand that others try to as well.
    for (const [i, worker] of wanted.entries()) {
      if (i === 1) await started[0]?.ready;
      started.push(start(worker));
    }
    await Promise.all(started.map(({ ready }) => ready));
    return await act({ pids: started.map(({ child }) => child.pid ?? 0) });
  } finally {
    await Promise.all(started.map(end));
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly ready: Promise<unknown>;
}

function start({ file, args, env }: Worker): Started {
  const child = fork(join(import.meta.dirname, file), args, { env: { ...process.env, ...env } });
  const died = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${file} ended with ${code ?? signal}`);
  });
  const ready = Promise.race([once(child, 'message'), died]);
  ready.catch(() => {});
  died.catch(() => {});
  return { child, ready };
}

async function end({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // It hears of the end by losing its parent: so it does not stay either when that dies.
  if (child.connected) child.disconnect();
  const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await ended;
  clearTimeout(late);
}
