import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Capture } from './capture.ts';
import type { Pipe, Pipes } from './pipes.ts';

/**
 * What a job reads and prints. It reads a file and not a pipe: to open one by the name /dev/stdin when all has been
 * written is to wait for another writer for ever.
 */
export class Streams {
  readonly stdout = new Capture();
  readonly stderr = new Capture();
  readonly #input: number | undefined;
  readonly #out: Pipe | undefined;
  readonly #err: Pipe | undefined;
  #reading: Readable[] = [];

  /** The job reads the file `input`, or the end at once where there is none. `attach` or `discard` must follow. */
  constructor(pipes: Pipes, input: string | undefined) {
    this.#input = input === undefined ? undefined : openSync(input, 'r');
    this.#out = pipes.take();
    this.#err = pipes.take();
  }

  /** What to start the process with. Where there are no pipes, Node.js takes sockets. */
  get stdio(): ('ignore' | 'pipe' | number)[] {
    return [this.#input ?? 'ignore', this.#out?.write ?? 'pipe', this.#err?.write ?? 'pipe'];
  }

  /** Leaves the process its ends, which nobody else may keep open, and begins to read the others. */
  attach({ stdout, stderr }: ChildProcess): void {
    close(this.#input, this.#out?.write, this.#err?.write);
    this.#reading = [read(stdout, this.#out, this.stdout), read(stderr, this.#err, this.stderr)];
  }

  /** Nothing was started. */
  discard(): void {
    close(this.#input, this.#out?.read, this.#out?.write, this.#err?.read, this.#err?.write);
  }

  /** Resolves when nobody can print any more and all that was printed has arrived. */
  async ended(): Promise<void> {
    await Promise.all(this.#reading.map((stream) => stream.closed || once(stream, 'close')));
  }

  /** Reads no more. */
  destroy(): void {
    for (const stream of this.#reading) stream.destroy();
  }
}

function read(socket: Readable | null, pipe: Pipe | undefined, capture: Capture): Readable {
  const stream = socket ?? new Socket({ fd: pipe?.read, writable: false });
  return stream.on('error', () => undefined).on('data', (chunk: Buffer) => capture.add(chunk));
}

function close(...fds: readonly (number | undefined)[]): void {
  for (const fd of fds) if (fd !== undefined) closeSync(fd);
}
