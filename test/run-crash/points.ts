import { appendFileSync } from 'node:fs';

/**
 * The moments of a life at which it may end. Each has a name, written to a file as it passes; at the wanted one the
 * process kills itself, as a power cut would.
 */
export class Points {
  readonly #file: string;
  readonly #killAt: string | undefined;
  readonly #times = new Map<string, number>();

  constructor(file: string, killAt: string | undefined) {
    this.#file = file;
    this.#killAt = killAt;
  }

  /** A moment. One of a name that has passed before is told apart by a number. */
  pass(name: string): void {
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    const own = times === 1 ? name : `${name} (${times})`;
    appendFileSync(this.#file, `${own}\n`);
    if (own === this.#killAt) process.kill(process.pid, 'SIGKILL');
  }

  /** The moments before and after a method is called, named by its arguments. Those of name undefined are none. */
  around<K extends string, A extends unknown[]>(
    object: { [key in K]: (...args: A) => Promise<unknown> },
    method: K,
    nameOf: (...args: A) => string | undefined,
  ): void {
    const original = object[method];
    const points = this;
    object[method] = async function (this: unknown, ...args: A) {
      const name = nameOf(...args);
      if (name !== undefined) points.pass(`before ${name}`);
      const value = await original.apply(this, args);
      if (name !== undefined) points.pass(`after ${name}`);
      return value;
    };
  }
}
