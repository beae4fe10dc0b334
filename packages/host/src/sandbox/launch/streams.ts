import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
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
  /** What it reads is written to it while it runs. */
  readonly #in: Pipe | undefined;
  readonly #talks: boolean;
  readonly #out: Pipe | undefined;
  readonly #err: Pipe | undefined;
  #reading: Readable[] = [];
  #writing: Writable | undefined;

  /**
   * The job reads the file `input`, or the end at once where there is none; if it `talks`, what is written to `writing`
   * once it is attached. `attach` or `discard` must follow.
   */
  constructor(pipes: Pipes, input: string | undefined, talks: boolean) {
    this.#talks = talks;
    this.#input = input === undefined ? undefined : openSync(input, 'r');
    // Not a socket, if possible: bash takes somebody with one for a remote user, and greets it with its .bashrc.
    this.#in = talks ? pipes.take() : undefined;
    this.#out = pipes.take();
    this.#err = pipes.take();
  }

  /** What to start the process with. Where there are no pipes, Node.js takes sockets. */
  get stdio(): ('ignore' | 'pipe' | number)[] {
    return [
      this.#talks ? (this.#in?.read ?? 'pipe') : (this.#input ?? 'ignore'),
      this.#out?.write ?? 'pipe',
      this.#err?.write ?? 'pipe',
    ];
  }

  /** Leaves the process its ends, which nobody else may keep open, and begins to read the others. */
  attach({ stdin, stdout, stderr }: ChildProcess): void {
    close(this.#input, this.#in?.read, this.#out?.write, this.#err?.write);
    if (this.#talks) this.#writing = stdin ?? new Socket({ fd: this.#in?.write, readable: false });
    // It need not read to the end; that it has ended is known by other means.
    this.#writing?.on('error', () => undefined);
    this.#reading = [read(stdout, this.#out, this.stdout), read(stderr, this.#err, this.stderr)];
  }

  /** What it prints with, once attached: its output, then its errors. */
  get reading(): readonly Readable[] {
    return this.#reading;
  }

  /** Where to write what it reads, once attached, if it talks. */
  get writing(): Writable | undefined {
    return this.#writing;
  }

  /** Nothing was started. */
  discard(): void {
    const pipes = [this.#in, this.#out, this.#err];
    close(this.#input, ...pipes.flatMap((pipe) => [pipe?.read, pipe?.write]));
  }

  /** Whether nobody can print any more and all that was printed has arrived. */
  get haveEnded(): boolean {
    return this.#reading.every((stream) => stream.closed);
  }

  /** Resolves when they have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#reading.map((stream) => stream.closed || once(stream, 'close')));
  }

  /** Reads and writes no more. */
  destroy(): void {
    this.#writing?.destroy();
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
