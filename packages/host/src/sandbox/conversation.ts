import { Heard } from './heard.ts';
import type { Ended, Job, Output } from './job.ts';
import type { Ear, LauncherProcess } from './launcher-process.ts';
import type { Piece } from './wire.ts';

/** So much is written at a time. */
const pieceBytes = 64 * 1024;

/** A job that is under way, and is talked with. */
export class Conversation {
  /** Resolves when nothing of it is left; rejects as `Launcher.run` does. */
  readonly ended: Promise<Ended>;
  readonly #id: number;
  readonly #launcher: LauncherProcess;
  readonly #onStderr: (text: string) => void;
  readonly #heard = new Heard();
  readonly #started = Promise.withResolvers<void>();
  /** What it has printed and nobody has read yet. */
  #unread: { text: string; bytes: number } = { text: '', bytes: 0 };
  #news = Promise.withResolvers<void>();
  #writing: Promise<unknown> = Promise.resolve();
  #written = Promise.withResolvers<void>();
  #isOver = false;

  /** Begins it. */
  constructor(id: number, job: Job, launcher: LauncherProcess, onStderr: (text: string) => void) {
    this.#id = id;
    this.#launcher = launcher;
    this.#onStderr = onStderr;
    const ear: Ear = {
      follow: 'talk',
      started: () => this.#started.resolve(),
      output: (piece) => this.#output(piece),
      written: () => this.#written.resolve(),
    };
    this.ended = launcher.run(id, job, ear).finally(() => this.#end());
    this.ended.then(() => this.#started.resolve(), this.#started.reject);
  }

  /** Resolves when it runs; rejects if it cannot. */
  get begun(): Promise<void> {
    return this.#started.promise;
  }

  /** Has it read a text; resolves when it can take more. Rejects if it has ended. */
  write(text: string): Promise<void> {
    const done = this.#writing.then(() => this.#write(Buffer.from(text)));
    this.#writing = done.catch(() => undefined);
    return done;
  }

  /** It has nothing more to read, once all was written. */
  async endInput(): Promise<void> {
    await this.#writing;
    this.#launcher.tell({ endInput: this.#id });
  }

  /** What it has printed since the last time, or prints next; null once it has ended and all was read. */
  async read(): Promise<string | null> {
    while (this.#unread.text === '' && !this.#isOver) await this.#news.promise;
    const { text, bytes } = this.#unread;
    this.#unread = { text: '', bytes: 0 };
    if (text === '') return null;
    if (!this.#isOver) this.#launcher.tell({ taken: this.#id, count: bytes });
    return text;
  }

  /** Has it ended as if its time were over. */
  stop(): void {
    if (!this.#isOver) this.#launcher.tell({ stop: this.#id });
  }

  #output(piece: Piece): void {
    this.#take({ stream: piece.stream, text: this.#heard.textOf(piece) }, Buffer.byteLength(piece.head, 'base64'));
  }

  #take({ stream, text }: Output, bytes: number): void {
    if (stream === 'stderr') {
      this.#onStderr(text);
      return;
    }
    this.#unread = { text: this.#unread.text + text, bytes: this.#unread.bytes + bytes };
    this.#tell();
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      if (this.#isOver) throw new Error('it has ended and reads no more');
      this.#written = Promise.withResolvers();
      const piece = bytes.subarray(at, at + pieceBytes).toString('base64');
      this.#launcher.tell({ write: this.#id, bytes: piece });
      await this.#written.promise;
    }
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  #end(): void {
    for (const output of this.#heard.rest()) this.#take(output, 0);
    this.#isOver = true;
    this.#written.resolve();
    this.#tell();
  }
}
