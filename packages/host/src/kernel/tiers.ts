import type { Call } from './call.ts';
import { type Caller, compile } from './compile.ts';
import type { Entry } from './entry.ts';
import type { Interceptor } from './intercept.ts';
import { type Gift, loop, none, type Waiting } from './loop.ts';
import { merged } from './merge.ts';
import { type WrapTarget, wrap } from './wrap.ts';

/** Someone who watches one call in `every`. */
export interface Watch {
  readonly interceptor: Interceptor;
  readonly every: number;
}

/** What the tiers of a hook are built from. */
export interface Plan extends WrapTarget {
  readonly freezes: boolean;
  readonly codegen: boolean;
  readonly watches: readonly Watch[];
  handlers(): readonly Entry[];
  wrappers(): readonly Entry[];
}

/** A hook is hot, and gets generated code, after so many calls without a change; after twice as many the next time. */
const hotAfter = 200;
const hottestAfter = 100_000;

/**
 * The present way to call a hook, for callers that can wait or for those that cannot. Cold: the loop. Hot: code
 * generated for the handlers there are. Any change starts over; the order is found at the first call after it.
 */
export class Tiers {
  run: Caller;
  readonly #plan: Plan;
  readonly #waiting: Waiting;
  #heat = hotAfter;

  constructor(plan: Plan, waiting: Waiting) {
    this.#plan = plan;
    this.#waiting = waiting;
    this.run = this.#first;
  }

  /** Something changed: handlers, wrappers or watchers. */
  reset(): void {
    this.run = this.#first;
  }

  readonly #first: Caller = (payload, call) => {
    this.run = this.#cold(this.#plan.handlers());
    return this.run(payload, call);
  };

  #cold(entries: readonly Entry[]): Caller {
    const plain = this.#loop(entries, undefined);
    if (!this.#plan.codegen || entries.length === 0) return this.#around(entries, plain);
    let left = this.#heat;
    const cold: Caller = this.#around(entries, (payload, call) => {
      if (--left === 0 && this.run === cold) {
        this.#heat = Math.min(this.#heat * 2, hottestAfter);
        this.run = this.#around(entries, compile(this.#plan, entries, this.#waiting) ?? plain);
      }
      return plain(payload, call);
    });
    return cold;
  }

  #loop(entries: readonly Entry[], watch: readonly Interceptor[] | undefined): Caller {
    const plan = this.#plan;
    const waiting = this.#waiting;
    if (plan.kind === 'collect' || plan.kind === 'merge') {
      return (payload, call) => loop(plan, entries, 0, payload, [], call, waiting, watch, none, undefined);
    }
    return (payload, call) => loop(plan, entries, 0, payload, undefined, call, waiting, watch, none, undefined);
  }

  /** Adds what stands around the handlers: watchers, the merging, wrappers, freezing. */
  #around(entries: readonly Entry[], handlers: Caller): Caller {
    const plan = this.#plan;
    let caller = this.#watched(entries, handlers);
    if (plan.kind === 'merge') caller = merging(caller);
    const wrappers = plan.wrappers();
    if (wrappers.length > 0) caller = wrap(plan, wrappers, caller, this.#waiting);
    if (!plan.freezes) return caller;
    const { seal } = plan;
    return (payload, call) => caller(seal(payload), call);
  }

  #watched(entries: readonly Entry[], handlers: Caller): Caller {
    const always = this.#plan.watches.filter((watch) => watch.every === 1).map((watch) => watch.interceptor);
    let caller = always.length > 0 ? this.#loop(entries, always) : handlers;
    for (const { interceptor, every } of this.#plan.watches) {
      if (every === 1) continue;
      const usual = caller;
      const sampled = this.#loop(entries, [...always, interceptor]);
      let left = every;
      caller = (payload: unknown, call: Call | undefined) => {
        if (--left > 0) return usual(payload, call);
        left = every;
        return sampled(payload, call);
      };
    }
    return caller;
  }
}

function merging(gather: Caller): Caller {
  return (payload, call) => {
    const gifts = gather(payload, call);
    return gifts instanceof Promise ? gifts.then(merged) : merged(gifts as Gift[]);
  };
}
