import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { Capture } from './capture.ts';
import type { Pipe, Pipes } from './pipes.ts';

/** What a job reads and prints. */
export class Streams {
  readonly stdout = new Capture();
  readonly stderr = new Capture();
  readonly #input: string | undefined;
  readonly #in: Pipe | undefined;
  readonly #out: Pipe | undefined;
  readonly #err: Pipe | undefined;
  #reading: Readable[] = [];
  #writing: Writable | undefined;

  /** The job reads `input`, or the end at once where there is none. Either `attach` or `discard` must follow. */
  constructor(pipes: Pipes, input: string | undefined) {
    this.#input = input;
    this.#in = input === undefined ? undefined : pipes.take();
    this.#out = pipes.take();
    this.#err = pipes.take();
  }

  /** What to start the process with. Where there are no pipes, Node.js takes sockets. */
  get stdio(): ('ignore' | 'pipe' | number)[] {
    const stdin = this.#input === undefined ? 'ignore' : (this.#in?.read ?? 'pipe');
    return [stdin, this.#out?.write ?? 'pipe', this.#err?.write ?? 'pipe'];
  }

  /** Leaves the process its ends, of which only it may keep some open now, and begins to read and write. */
  attach({ stdin, stdout, stderr }: ChildProcess): void {
    close(this.#in?.read, this.#out?.write, this.#err?.write);
    this.#reading = [read(this.#out, stdout, this.stdout), read(this.#err, stderr, this.stderr)];
    if (this.#input === undefined) return;
    const writing = this.#in === undefined ? stdin : new Socket({ fd: this.#in.write, readable: false });
    // It need not read what it is given.
    this.#writing = writing?.on('error', () => undefined).end(this.#input);
  }

  /** Nothing was started. */
  discard(): void {
    for (const pipe of [this.#in, this.#out, this.#err]) close(pipe?.read, pipe?.write);
  }

  /** Resolves when nobody can print any more, and all that was printed has arrived. */
  async ended(): Promise<void> {
    await Promise.all(this.#reading.map((stream) => stream.closed || once(stream, 'close')));
  }

  /** Neither reads nor writes any more. */
  destroy(): void {
    for (const stream of [...this.#reading, this.#writing]) stream?.destroy();
  }
}

function read(pipe: Pipe | undefined, socket: Readable | null, capture: Capture): Readable {
  const stream = socket ?? new Socket({ fd: pipe?.read, writable: false });
  return stream.on('error', () => undefined).on('data', (chunk: Buffer) => capture.add(chunk));
}

function close(...fds: readonly (number | undefined)[]): void {
  for (const fd of fds) if (fd !== undefined) closeSync(fd);
}
