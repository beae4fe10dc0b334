import { openSync, writeSync } from 'node:fs';

type Arguments<F> = F extends (...args: infer A) => Promise<unknown> ? A : never;

/**
 * The moments of a life at which it may end. Each has a name, written to a file as it passes; at the wanted one the
 * process kills itself, as a power cut would.
 */
export class Points {
  readonly #trace: number;
  readonly #killAt: string | undefined;
  readonly #times = new Map<string, number>();

  constructor(file: string, killAt: string | undefined) {
    this.#trace = openSync(file, 'a');
    this.#killAt = killAt;
  }

  /** A moment. One of a name that has passed before is told apart by a number. `last` is done if it is the wanted one. */
  pass(name: string, last: () => void = () => {}): void {
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    const own = times === 1 ? name : `${name} (${times})`;
    writeSync(this.#trace, `${own}\n`);
    if (own !== this.#killAt) return;
    last();
    process.kill(process.pid, 'SIGKILL');
  }

  /** The moments before and after a method is called, named by its arguments. Where the name is undefined there are none. */
  around<T extends object, K extends keyof T>(
    object: T,
    method: K,
    nameOf: (...args: Arguments<T[K]>) => string | undefined,
  ): void {
    const original = object[method] as (...args: Arguments<T[K]>) => Promise<unknown>;
    const points = this;
    object[method] = async function (this: unknown, ...args: Arguments<T[K]>) {
      const name = nameOf(...args);
      if (name === undefined) return original.apply(this, args);
      points.pass(`before ${name}`);
      const value = await original.apply(this, args);
      points.pass(`after ${name}`);
      return value;
    } as T[K];
  }
}
