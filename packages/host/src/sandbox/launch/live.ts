import type { Readable } from 'node:stream';
import type { Following } from '../job.ts';
import type { Piece } from '../wire.ts';
import { Flow } from './flow.ts';
import { Telling } from './telling.ts';

/** Where what a job prints is told while it runs. */
export interface Listener {
  readonly follow: Following;
  tell(piece: Piece): void;
  /** Whether it does not take what it is told. */
  isClogged(): boolean;
}

/** What is told of a job while it runs. */
export class Live {
  readonly #tellings: readonly Telling[];
  readonly #flow: Flow | undefined;

  /** `reading` is its output, then its errors. */
  constructor(reading: readonly Readable[], listener: Listener) {
    const [stdout, stderr] = reading as [Readable, Readable];
    const telling = (stream: Piece['stream'], readable: Readable) => {
      const one = new Telling((piece) => listener.tell({ stream, ...piece }), listener.isClogged);
      readable.on('data', (chunk: Buffer) => one.add(chunk));
      return one;
    };
    const talks = listener.follow === 'talk';
    const hand = (chunk: Buffer) => listener.tell({ stream: 'stdout', head: chunk.toString('base64') });
    this.#flow = talks ? new Flow(stdout, hand) : undefined;
    this.#tellings = [...(talks ? [] : [telling('stdout', stdout)]), telling('stderr', stderr)];
  }

  /** So many bytes of its output have been taken. */
  taken(count: number): void {
    this.#flow?.taken(count);
  }

  /** It has ended; what it printed last may still come. */
  free(): void {
    this.#flow?.free();
  }

  /** All that it printed has come. */
  end(): void {
    for (const telling of this.#tellings) telling.end();
  }
}
