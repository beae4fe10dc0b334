import { type Caller, compile } from './compile.ts';
import type { Entry } from './entry.ts';
import type { Interceptor } from './intercept.ts';
import { begin, type Gift, type Pass } from './loop.ts';
import { merged } from './merge.ts';
import { plain } from './plain.ts';
import { type WrapTarget, wrap } from './wrap.ts';

/** Someone who watches one call in `every`. */
export interface Watch {
  readonly interceptor: Interceptor;
  readonly every: number;
}

/** What the tiers of a hook are built from. */
export interface Plan extends WrapTarget {
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
 * generated for the handlers there are, or `plain` where that cannot be. Any change starts over; the order is found
 * at the first call after it.
 */
export class Tiers {
  run: Caller;
  readonly #plan: Plan;
  readonly #canWait: boolean;
  #heat = hotAfter;
  readonly #samplers = new WeakMap<Watch, Watch & { left: number }>();

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
    this.run = this.#cold(this.#pass(undefined));
    return this.run(payload, call, suspended);
  };

  #pass(watch: readonly Interceptor[] | undefined): Pass {
    return { target: this.#plan, entries: this.#plan.handlers(), canWait: this.#canWait, watch };
  }

  #cold(pass: Pass): Caller {
    let left = this.#heat;
    const cold: Caller = this.#around(pass, false, (payload, call, suspended) => {
      if (--left === 0 && this.run === cold) this.#hot(pass);
      return begin(pass, payload, call, suspended);
    });
    return cold;
  }

  #hot(pass: Pass): void {
    this.#heat = Math.min(this.#heat * 2, hottestAfter);
    const plan = this.#plan;
    const compiled = plan.codegen ? compile(pass) : undefined;
    this.run = this.#around(pass, plan.codegen, compiled ?? plain(pass));
  }

  /** Adds what stands around the handlers: watchers, the merging, wrappers. */
  #around(pass: Pass, hot: boolean, handlers: Caller): Caller {
    let caller = this.#watched(pass, handlers);
    if (this.#plan.kind === 'merge') caller = merging(caller);
    const wrappers = this.#plan.wrappers();
    if (wrappers.length === 0) return caller;
    return wrap({ target: this.#plan, wrappers, inner: caller, canWait: this.#canWait }, hot);
  }

  #watched(pass: Pass, handlers: Caller): Caller {
    const always = this.#plan.watches.filter((watch) => watch.every === 1).map((watch) => watch.interceptor);
    const watching = (watch: readonly Interceptor[]): Caller => {
      const watched = { ...pass, watch };
      return (payload, call, suspended) => begin(watched, payload, call, suspended);
    };
    const caller = always.length > 0 ? watching(always) : handlers;
    const samplers = this.#plan.watches.filter((watch) => watch.every !== 1).map((watch) => this.#sampler(watch));
    if (samplers.length === 0) return caller;
    const usual = caller;
    return (payload, call, suspended) => {
      let due: Interceptor[] | undefined;
      for (const sampler of samplers) {
        if (--sampler.left > 0) continue;
        sampler.left = sampler.every;
        due ??= [...always];
        due.push(sampler.interceptor);
      }
      if (due === undefined) return usual(payload, call, suspended);
      return begin({ ...pass, watch: due }, payload, call, suspended);
    };
  }

  /** How many calls are left until a watch is due: kept through every change, or nothing might ever be sampled. */
  #sampler(watch: Watch): Watch & { left: number } {
    const sampler = this.#samplers.get(watch) ?? { ...watch, left: watch.every };
    this.#samplers.set(watch, sampler);
    return sampler;
  }
}

function merging(gather: Caller): Caller {
  return (payload, call) => {
    const gifts = gather(payload, call, undefined);
    return gifts instanceof Promise ? gifts.then(merged) : merged(gifts as Gift[]);
  };
}
