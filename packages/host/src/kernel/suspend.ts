import type { Call } from './call.ts';
import { Context } from './context.ts';
import type { Deadlines, Waiter } from './deadlines.ts';
import type { Entry } from './entry.ts';
import { Fault } from './failure.ts';
import type { Interceptor } from './intercept.ts';
import { loop, none, pending, type Suspended, type Target } from './loop.ts';

const nativeThen = Promise.prototype.then;

/** Hears of an answer exactly once, whatever a foreign `then` does. */
export function listen(answer: PromiseLike<unknown>, ok: (value: unknown) => void, no: (error: unknown) => void): void {
  const native = answer instanceof Promise && answer.constructor === Promise;
  const promise = native ? answer : new Promise((resolve) => resolve(answer));
  nativeThen.call(promise, ok, no);
}

/**
 * A call that is waiting. It goes from handler to handler with one promise and two functions for the whole call; only
 * a deadline that passes makes new ones, so that a late answer has nobody left to tell.
 */
export class SuspendedCall implements Suspended, Waiter {
  expires = Number.POSITIVE_INFINITY;
  previous: Waiter | undefined;
  next: Waiter | undefined;
  readonly #target: Target;
  readonly #deadlines: Deadlines;
  readonly #entries: readonly Entry[];
  readonly #call: Call | undefined;
  readonly #watch: readonly Interceptor[] | undefined;
  #i = 0;
  #payload: unknown;
  #gathered: unknown[] | undefined;
  #context: Context | undefined;
  #promise: Promise<unknown> | undefined;
  #resolve!: (value: unknown) => void;
  #reject!: (error: unknown) => void;
  #ok!: (value: unknown) => void;
  #no!: (error: unknown) => void;

  constructor(
    target: Target,
    deadlines: Deadlines,
    entries: readonly Entry[],
    call: Call | undefined,
    watch: readonly Interceptor[] | undefined,
  ) {
    this.#target = target;
    this.#deadlines = deadlines;
    this.#entries = entries;
    this.#call = call;
    this.#watch = watch;
    this.#hear();
  }

  wait(
    i: number,
    payload: unknown,
    gathered: unknown[] | undefined,
    context: Context | undefined,
    answer: PromiseLike<unknown>,
  ): unknown {
    this.#i = i;
    this.#payload = payload;
    this.#gathered = gathered;
    this.#context = context;
    this.expires = this.#deadlines.after((this.#entries[i] as Entry).deadlineMs);
    listen(answer, this.#ok, this.#no);
    if (this.#promise !== undefined) return pending;
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#deadlines.add(this);
    return this.#promise;
  }

  /** Ears for the answers to come; earlier ones go deaf. */
  #hear(): void {
    this.#ok = (value) => {
      if (this.#ok === ok) this.#goOn(this.#i, value);
    };
    const ok = this.#ok;
    this.#no = (error) => {
      if (this.#ok === ok) this.#failed(error);
    };
  }

  /** The deadline of the handler it waits for has passed. */
  expired(): void {
    this.#hear();
    const entry = this.#entries[this.#i] as Entry;
    const fault = new Fault('HANDLER_TIMEOUT', `did not answer within ${entry.deadlineMs} ms`);
    Context.abort(this.#context, new Error(`${entry.plugin}: ${fault.message}`));
    this.#failed(fault);
  }

  #failed(thrown: unknown): void {
    const refused = this.#target.fail(this.#entries[this.#i] as Entry, thrown, this.#payload, this.#call);
    if (refused === undefined) this.#goOn(this.#i + 1, none);
    else this.#end(this.#reject, refused);
  }

  #goOn(i: number, arrived: unknown): void {
    let result: unknown;
    try {
      result = loop(
        this.#target,
        this.#entries,
        i,
        this.#payload,
        this.#gathered,
        this.#call,
        this,
        this.#watch,
        arrived,
        undefined,
      );
    } catch (refused) {
      this.#end(this.#reject, refused);
      return;
    }
    if (result !== pending) this.#end(this.#resolve, result);
  }

  #end(how: (value: unknown) => void, value: unknown): void {
    this.#deadlines.delete(this);
    how(value);
  }
}
