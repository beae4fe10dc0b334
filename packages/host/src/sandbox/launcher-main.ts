import { setTimeout as sleep } from 'node:timers/promises';
import type { Following, Job } from './job.ts';
import { probe } from './launch/cage.ts';
import { memoryDir, ownPrefix } from './launch/folder.ts';
import { Pipes } from './launch/pipes.ts';
import { CannotStart } from './launch/preflight.ts';
import { closeInherited, signalTo } from './launch/proc.ts';
import { Running } from './launch/running.ts';
import { eachLine, type FromLauncher, type Piece, type ToLauncher } from './wire.ts';

// A small process that starts others: doing so in a big one stalls it for as long as copying its page tables takes.

/** How long tidying up may take at the end; what is left then is for the next sweep. */
const lastMs = 5_000;
/** With so many bytes that the host has not read yet, it is told no more of what jobs print. */
const mostBacklog = 512 * 1024;

const [tempDir = '', projectPrefix = '', mkfifo, bwrap] = process.argv.slice(2);
closeInherited();
const confinement = await probe(bwrap || undefined);
const prefix = ownPrefix(projectPrefix);
const memory = memoryDir();
const pipes = new Pipes({ dir: memory ?? tempDir, prefix, mkfifo: mkfifo || undefined });
const place = { tempDir, memoryDir: memory, prefix, pipes, bwrap: confinement === 'namespace' ? bwrap : undefined };
const jobs = new Map<number, Running>();
const adopted = new Set<number>();
let leaving = false;

function tell(message: FromLauncher): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Whether the host does not read what it is told. */
function isClogged(): boolean {
  return process.stdout.writableLength > mostBacklog;
}

async function run(id: number, job: Job, follow: Following | undefined): Promise<void> {
  try {
    const listener = follow && { follow, tell: (piece: Piece) => tell({ output: id, piece }), isClogged };
    const running = new Running(job, place, listener);
    jobs.set(id, running);
    tell({ started: id, group: running.group });
    // While it runs there is time.
    pipes.refill();
    tell({ ended: id, how: await running.ended });
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    tell({ refused: id, why: error.why });
  } finally {
    jobs.delete(id);
  }
}

async function write(id: number, bytes: string): Promise<void> {
  await jobs.get(id)?.write(Buffer.from(bytes, 'base64'));
  tell({ written: id });
}

/** The host is gone, or wants no more: nothing may stay behind. */
async function leave(): Promise<void> {
  if (leaving) return;
  leaving = true;
  for (const group of adopted) signalTo(-group, 'SIGKILL');
  for (const running of jobs.values()) running.kill();
  const all = Promise.allSettled([...jobs.values()].map(({ ended }) => ended));
  await Promise.race([all, sleep(lastMs)]);
  process.exit();
}

function heed(message: ToLauncher): void {
  if ('adopt' in message) adopted.add(message.adopt);
  else if ('release' in message) adopted.delete(message.release);
  else if ('stop' in message) jobs.get(message.stop)?.abort();
  else if ('write' in message) write(message.write, message.bytes);
  else if ('endInput' in message) jobs.get(message.endInput)?.endInput();
  else if ('taken' in message) jobs.get(message.taken)?.taken(message.count);
  else if (!leaving) run(message.run, message.job, message.follow);
}

// A host that is gone no longer listens.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, leave);
process.stdin.on('close', leave);
eachLine(process.stdin, (line) => heed(JSON.parse(line)));
tell({ ready: confinement });
