/** Calls a function of the other side. */
export type Invoke = (ref: number, args: unknown[]) => Promise<unknown>;

const key = '$function';
const signalKey = '$signal';
const ordinary: ReadonlySet<unknown> = new Set([Object.prototype, null]);

/**
 * Lets values with functions in them pass between processes: a function goes as a number, and arrives as an async
 * function that calls back. A signal arrives as one that is aborted with the call it is given to. Of an object with a class of
 * its own go the methods and what is plain, not its inner life.
 */
export class Functions {
  readonly #invoke: Invoke;
  readonly #held: { readonly fn: (...args: unknown[]) => unknown; readonly self: unknown }[] = [];
  readonly #numbers = new WeakMap<object, number>();
  #borrowed = false;

  constructor(invoke: Invoke) {
    this.#invoke = invoke;
  }

  /** Whether somebody here may call the other side. */
  get isBorrowing(): boolean {
    return this.#borrowed;
  }

  /** What can be sent instead of `value`. Throws on one that leads back to itself. */
  encode(value: unknown, self: unknown = undefined, above: readonly unknown[] = []): unknown {
    if (typeof value === 'function') return { [key]: this.#hold(value as (...args: unknown[]) => unknown, self) };
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof AbortSignal) return { [signalKey]: true };
    if (above.includes(value)) throw new TypeError('it leads back to itself');
    const path = [...above, value];
    if (Array.isArray(value)) return value.map((item) => this.encode(item, value, path));
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return value;
    const isOrdinary = ordinary.has(Object.getPrototypeOf(value));
    const encoded: Record<string, unknown> = {};
    for (const name of membersOf(value)) {
      const member = (value as Record<string, unknown>)[name];
      if (isOrdinary || isPlain(member)) encoded[name] = this.encode(member, value, path);
    }
    return encoded;
  }

  /** The value that was sent, with functions that call the other side, and `signal` where it has one. */
  decode(value: unknown, signal?: AbortSignal): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.decode(item, signal));
    if (signalKey in value) return signal ?? new AbortController().signal;
    const ref = (value as Record<string, unknown>)[key];
    if (typeof ref === 'number') {
      this.#borrowed = true;
      return (...args: unknown[]) => this.#invoke(ref, args);
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.decode(member, signal)]));
  }

  /** Calls a function of this side for the other. Rejects if there is none of that number, or as the function does. */
  async call(ref: unknown, args: unknown, signal?: AbortSignal): Promise<unknown> {
    const held = this.#held[ref as number];
    if (held === undefined || !Array.isArray(args)) throw new Error('there is no such function');
    return this.encode(
      await held.fn.apply(
        held.self,
        args.map((argument) => this.decode(argument, signal)),
      ),
    );
  }

  #hold(fn: (...args: unknown[]) => unknown, self: unknown): number {
    const known = this.#numbers.get(fn);
    if (known !== undefined && this.#held[known]?.self === self) return known;
    const number = this.#held.push({ fn, self }) - 1;
    this.#numbers.set(fn, number);
    return number;
  }
}

/** The signal among arguments, or among what they hold. */
export function signalAmong(args: readonly unknown[]): AbortSignal | undefined {
  const within = (arg: unknown) => (typeof arg === 'object' && arg !== null ? Object.values(arg) : []);
  return [...args, ...args.flatMap(within)].find((one) => one instanceof AbortSignal);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || Array.isArray(value) || ordinary.has(value && Object.getPrototypeOf(value));
}

/** Own members, and methods of its classes. */
function membersOf(value: object): string[] {
  const names = new Set(Object.keys(value));
  for (
    let prototype = Object.getPrototypeOf(value);
    !ordinary.has(prototype);
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const name of Object.getOwnPropertyNames(prototype)) if (name !== 'constructor') names.add(name);
  }
  return [...names];
}
