import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** A log never takes more than twice this on disk. */
const mostBytes = 1024 * 1024;

/** A file that text is added to; when it is full it becomes the older of two. It is made when there is something to write. */
export class RollingFile {
  readonly #file: string;
  #fd: number | undefined;
  #size = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws what the file system says. */
  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#fd === undefined) this.#open();
    if (this.#size + line.length > mostBytes) this.#roll();
    writeSync(this.#fd as number, line);
    this.#size += line.length;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): void {
    this.#fd = openSync(this.#file, 'a', 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  #roll(): void {
    this.close();
    renameSync(this.#file, `${this.#file}.1`);
    this.#open();
  }
}
