import { PatchbayError } from 'patchbay-sdk';
import type { Call } from './call.ts';
import type { Caller } from './compile.ts';
import { Context } from './context.ts';
import type { Deadlines, Waiter } from './deadlines.ts';
import type { Entry } from './entry.ts';
import { Fault } from './failure.ts';
import { admits, isThenable, unawaited } from './invoke.ts';
import { none, type Target, type Waiting } from './loop.ts';
import { listen } from './suspend.ts';

/** What wrappers need of a hook, beyond what handlers need. */
export interface WrapTarget extends Target {
  readonly deadlines: Deadlines;
  /** Checks a result that a wrapper puts in place of another; gives the one to keep. Throws a Fault. */
  replace(entry: Entry, result: unknown, replacement: unknown, call: Call | undefined): unknown;
}

/** Puts wrappers around a caller, the first of them outermost. */
export function wrap(target: WrapTarget, wrappers: readonly Entry[], inner: Caller, waiting: Waiting): Caller {
  return wrappers.reduceRight<Caller>(
    (within, entry) => (payload, call) => {
      try {
        if (!entry.ok && !admits(entry)) return within(payload, call);
      } catch (fault) {
        const refused = target.fail(entry, fault, payload, call);
        if (refused !== undefined) throw refused;
        return within(payload, call);
      }
      return new Wrapping(target, entry, within, payload, call).run(waiting);
    },
    inner,
  );
}

type State = 'not called' | 'called' | 'done' | 'refused';

/**
 * One wrapper around one call. Whatever the wrapper does, the handlers within are called exactly once, and a refusal
 * from within stands: a wrapper may look at it, not undo it.
 */
class Wrapping implements Waiter {
  expires = Number.POSITIVE_INFINITY;
  previous: Waiter | undefined;
  next: Waiter | undefined;
  readonly #target: WrapTarget;
  readonly #entry: Entry;
  readonly #within: Caller;
  readonly #payload: unknown;
  readonly #call: Call | undefined;
  readonly #context: Context;
  /** How far the handlers within are. */
  #state: State = 'not called';
  /** Their result, its promise while it is awaited, or the refusal. */
  #result: unknown;
  /** What an async wrapper answered; `none` until it has. */
  #answer: unknown = none;
  #failedOnce = false;
  #resolve: ((value: unknown) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(target: WrapTarget, entry: Entry, within: Caller, payload: unknown, call: Call | undefined) {
    this.#target = target;
    this.#entry = entry;
    this.#within = within;
    this.#payload = payload;
    this.#call = call;
    this.#context = new Context(entry, call);
  }

  run(waiting: Waiting): unknown {
    let answer: unknown;
    const { fn } = this.#entry;
    try {
      answer = fn(this.#payload, this.#next, this.#context);
      if (answer !== undefined && answer !== this.#result && isThenable(answer)) {
        if (waiting === 'never') throw unawaited(answer);
        return this.#wait(answer);
      }
      if (this.#state === 'not called') throw new Fault('WRAPPER_CONTRACT', 'wraps but did not call next()');
    } catch (thrown) {
      this.#blame(thrown);
      answer = undefined;
      if (this.#state === 'not called') this.#callWithin();
    }
    if (answer === this.#result) answer = undefined;
    if (isThenable(this.#result)) {
      // The wrapper did not wait for the handlers within; its caller does.
      if (answer === undefined) return this.#result;
      return this.#result.then((result) => this.#choose(result, answer));
    }
    if (this.#state === 'refused') throw this.#result;
    return this.#choose(this.#result, answer);
  }

  readonly #next = (): unknown => {
    if (this.#state !== 'not called') {
      const { plugin, hook } = this.#entry;
      throw new PatchbayError('WRAPPER_CONTRACT', `plugin "${plugin}" in hook "${hook}" called next() twice`, {
        plugin,
        hook,
      });
    }
    if (this.#callWithin() === 'refused') throw this.#result;
    return this.#result;
  };

  #callWithin(): State {
    this.#state = 'called';
    try {
      this.#result = this.#within(this.#payload, this.#call);
      if (!isThenable(this.#result)) this.#state = 'done';
      else if (this.#resolve !== undefined) this.#listenWithin(this.#result);
    } catch (refused) {
      this.#state = 'refused';
      this.#result = refused;
    }
    return this.#state;
  }

  /** Waits for an async wrapper. Its deadline runs only while it is its turn, not while it waits for those within. */
  #wait(answer: PromiseLike<unknown>): Promise<unknown> {
    const promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#target.deadlines.add(this);
    if (this.#state === 'called' && isThenable(this.#result)) this.#listenWithin(this.#result);
    else this.#startClock();
    listen(answer, this.#hear, (error) => this.#failed(error));
    return promise;
  }

  #startClock(): void {
    this.expires = this.#target.deadlines.after(this.#entry.deadlineMs);
  }

  #listenWithin(result: PromiseLike<unknown>): void {
    this.expires = Number.POSITIVE_INFINITY;
    const ended = (state: 'done' | 'refused') => (value: unknown) => {
      this.#state = state;
      this.#result = value;
      if (this.#answer === none) this.#startClock();
      else this.#finish();
    };
    listen(result, ended('done'), ended('refused'));
  }

  readonly #hear = (value: unknown): void => {
    if (this.#answer !== none) return;
    this.#answer = value;
    this.#finish();
  };

  #failed(thrown: unknown): void {
    if (this.#answer !== none) return;
    this.#answer = undefined;
    try {
      this.#blame(thrown);
      this.#finish();
    } catch (refused) {
      this.#end(this.#reject, refused);
    }
  }

  /** The deadline of the wrapper has passed. */
  expired(): void {
    const fault = new Fault('HANDLER_TIMEOUT', `did not answer within ${this.#entry.deadlineMs} ms`);
    Context.abort(this.#context, new Error(`${this.#entry.plugin}: ${fault.message}`));
    this.#failed(fault);
  }

  /** Ends the call if both the wrapper and those within have answered; sees to it that they are asked. */
  #finish(): void {
    try {
      if (this.#state === 'not called') {
        this.#callWithin();
        this.#blame(new Fault('WRAPPER_CONTRACT', 'wraps but did not call next()'));
      }
      if (this.#state === 'refused') throw this.#result;
      if (this.#state === 'done') this.#end(this.#resolve, this.#choose(this.#result, this.#answer));
    } catch (refused) {
      this.#end(this.#reject, refused);
    }
  }

  #end(how: ((value: unknown) => void) | undefined, value: unknown): void {
    this.#target.deadlines.delete(this);
    how?.(value);
  }

  /** Keeps the wrapper's answer if it has one and may give it. */
  #choose(result: unknown, answer: unknown): unknown {
    if (!this.#entry.ok && !this.#failedOnce) this.#entry.worked();
    if (answer === undefined || answer === result) return result;
    try {
      return this.#target.replace(this.#entry, result, answer, this.#call);
    } catch (thrown) {
      this.#blame(thrown);
      return result;
    }
  }

  /** Notes a failure of the wrapper; throws if it refuses. A refusal from within that passed through is not its fault. */
  #blame(thrown: unknown): void {
    if (this.#state === 'refused' && thrown === this.#result) return;
    this.#failedOnce = true;
    const refused = this.#target.fail(this.#entry, thrown, this.#payload, this.#call);
    if (refused !== undefined) throw refused;
  }
}
