import { type Caller, compile, type Sampling } from './compile.ts';
import type { Entry } from './entry.ts';
import type { Pulse } from './health.ts';
import type { Interceptor } from './intercept.ts';
import { begin, type Gift, type Pass } from './loop.ts';
import { merged } from './merge.ts';
import { type Plain, plainOf } from './plain.ts';
import { type WrapTarget, wrap } from './wrap.ts';

/** Someone who watches one call in `every`. */
export interface Watch {
  readonly interceptor: Interceptor;
  readonly every: number;
}

/** What the tiers of a hook are built from. */
export interface Plan extends WrapTarget {
  readonly codegen: boolean;
  readonly pulse: Pulse;
  readonly watches: readonly Watch[];
  handlers(): readonly Entry[];
  wrappers(): readonly Entry[];
}

/** A hook is hot, and gets generated code, after so many calls without a change; after twice as many the next time. */
const hotAfter = 200;
const hottestAfter = 100_000;

/**
 * The present way to call a hook, for callers that can wait or for those that cannot. Cold: the loop. Hot: code
 * generated for the handlers there are, or `plain` where that cannot be. Any change starts over; the order is found
 * at the first call after it.
 */
export class Tiers {
  /** How to call it; undefined where `plain` is to be called plainly. */
  run: Caller | undefined;
  plain: Plain | undefined = undefined;
  readonly #plan: Plan;
  readonly #canWait: boolean;
  #heat = hotAfter;
  readonly #counters = new WeakMap<Watch, Watch & { left: number }>();

  constructor(plan: Plan, canWait: boolean) {
    this.#plan = plan;
    this.#canWait = canWait;
    this.run = this.#first;
  }

  /** Something changed: handlers, wrappers or watchers. */
  reset(): void {
    this.run = this.#first;
  }

  readonly #first: Caller = (payload, call, suspended) => {
    const cold = this.#cold(this.#pass());
    this.run = cold;
    return cold(payload, call, suspended);
  };

  /** The present handlers, seen by those who watch every call. */
  #pass(): Pass {
    const always = this.#plan.watches.filter(({ every }) => every === 1).map(({ interceptor }) => interceptor);
    const watch = always.length > 0 ? always : undefined;
    return { target: this.#plan, entries: this.#plan.handlers(), canWait: this.#canWait, watch };
  }

  #cold(pass: Pass): Caller {
    let left = this.#heat;
    const cold: Caller = this.#around(
      this.#sampled(pass, (payload, call, suspended) => {
        if (--left === 0 && this.run === cold) this.#hot(pass);
        return begin(pass, payload, call, suspended);
      }),
      false,
    );
    return cold;
  }

  #hot(pass: Pass): void {
    const { codegen } = this.#plan;
    this.#heat = Math.min(this.#heat * 2, hottestAfter);
    const compiled = codegen && pass.watch === undefined ? compile(pass, this.#sampling(pass)) : undefined;
    const loop: Caller = (payload, call, suspended) => begin(pass, payload, call, suspended);
    const hot = this.#around(compiled ?? this.#sampled(pass, loop), codegen);
    this.plain = hot === loop ? plainOf(pass, this.#plan.pulse) : undefined;
    this.run = this.plain === undefined ? hot : undefined;
  }

  /** Adds what stands around the handlers: the merging, wrappers. */
  #around(handlers: Caller, hot: boolean): Caller {
    const inner = this.#plan.kind === 'merge' ? merging(handlers) : handlers;
    const wrappers = this.#plan.wrappers();
    if (wrappers.length === 0) return inner;
    return wrap({ target: this.#plan, wrappers, inner, canWait: this.#canWait }, hot);
  }

  /** Lets those who watch one call in so many see it. */
  #sampled(pass: Pass, usual: Caller): Caller {
    const { counters, due } = this.#sampling(pass);
    if (counters.length === 0) return usual;
    return (payload, call, suspended) => {
      let isDue = false;
      for (const counter of counters) if (--counter.left <= 0) isDue = true;
      return isDue ? due(payload, call, suspended) : usual(payload, call, suspended);
    };
  }

  #sampling(pass: Pass): Sampling {
    const counters = this.#plan.watches.filter(({ every }) => every > 1).map((watch) => this.#counter(watch));
    const due: Caller = (payload, call, suspended) => {
      const watch = [...(pass.watch ?? [])];
      for (const counter of counters) {
        if (counter.left > 0) continue;
        counter.left = counter.every;
        watch.push(counter.interceptor);
      }
      return begin({ ...pass, watch }, payload, call, suspended);
    };
    return { counters, due };
  }

  /** How many calls are left until a watch is due: kept through every change, or nothing might ever be sampled. */
  #counter(watch: Watch): Watch & { left: number } {
    const counter = this.#counters.get(watch) ?? { ...watch, left: watch.every };
    this.#counters.set(watch, counter);
    return counter;
  }
}

function merging(gather: Caller): Caller {
  return (payload, call) => {
    const gifts = gather(payload, call, undefined);
    return gifts instanceof Promise ? gifts.then(merged) : merged(gifts as Gift[]);
  };
}
