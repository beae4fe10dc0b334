import type { HookKind, HookRow, PatchbayError } from 'patchbay-sdk';
import { type Call, newRecord } from './call.ts';
import type { Caller } from './compile.ts';
import type { Deadlines } from './deadlines.ts';
import type { Entry } from './entry.ts';
import { blame, Fault, refusal, runOf } from './failure.ts';
import { freezeDeep } from './freeze.ts';
import type { Pulse } from './health.ts';
import type { Interceptor } from './intercept.ts';
import { type Judge, judgeOf, problemOfResult } from './judge.ts';
import { begin, type Pass, type Suspended } from './loop.ts';
import { Order } from './order.ts';
import { callPlainly, type Plain } from './plain.ts';
import { SuspendedCall } from './suspend.ts';
import { type Plan, Tiers, type Watch } from './tiers.ts';
import { wrap } from './wrap.ts';

/** What all hooks of a kernel share. */
export interface Shared {
  readonly deadlines: Deadlines;
  readonly pulse: Pulse;
  readonly codegen: boolean;
  readonly watches: readonly Watch[];
  /** Hears of every failure. Never throws. */
  readonly failed: (failure: PatchbayError) => void;
}

/** One hook with its handlers: what callers hold on to. `P` is its payload, `R` what a call gives. */
export class Hook<P = unknown, R = unknown> implements Plan {
  readonly name: string;
  readonly row: HookRow;
  readonly kind: HookKind;
  readonly judge: Judge | undefined;
  readonly freezes: boolean;
  readonly #shared: Shared;
  readonly #handlers: Order;
  readonly #wrappers: Order;
  readonly #subsets = new Map<string, { readonly without: ReadonlySet<string>; readonly hook: Hook<P, R> }>();
  /** The calls so far, of a historic hook. */
  #history: { payload: unknown; call: Call | undefined; without: ReadonlySet<string> }[] | undefined;
  #without: ReadonlySet<string> = new Set();
  /** Whether anything is to be done before a call. */
  private readonly special: boolean;
  private readonly mayWait = new Tiers(this, true);
  private readonly mayNotWait = new Tiers(this, false);

  constructor(name: string, row: HookRow, shared: Shared) {
    this.name = name;
    this.row = row;
    this.kind = row.kind;
    this.judge = judgeOf(row);
    this.freezes = row.frozen !== false;
    this.#history = row.historic ? [] : undefined;
    this.special = this.freezes || row.historic === true;
    this.#shared = shared;
    this.#handlers = new Order(name);
    this.#wrappers = new Order(name);
  }

  /**
   * Calls the handlers in order. Gives the result at once, or its promise if a handler answered one; throws, or
   * rejects, with HOOK_REFUSED if the hook is closed and somebody refused or failed. The payload is frozen.
   */
  call(payload: P, call?: Call): R | Promise<R> {
    if (this.special) this.prepare(payload, call);
    const { run, plain } = this.mayWait;
    return (run !== undefined ? run(payload, call, undefined) : callPlainly(plain as Plain, payload, call)) as R;
  }

  /** The same for callers that cannot wait: a handler that answers a promise has failed. */
  callSync(payload: P, call?: Call): R {
    if (this.special) this.prepare(payload, call);
    const { run, plain } = this.mayNotWait;
    return (run !== undefined ? run(payload, call, undefined) : callPlainly(plain as Plain, payload, call)) as R;
  }

  private prepare(payload: P, call: Call | undefined): void {
    if (this.freezes) freezeDeep(payload);
    this.#history?.push({ payload, call, without: this.#without });
  }

  /** Like `call`, with somebody who watches the handlers in this call only. */
  attend(payload: P, call: Call, watch: Interceptor): R | Promise<R> {
    if (this.special) this.prepare(payload, call);
    const pass = { target: this, entries: this.handlers(), canWait: true, watch: [...this.#always(), watch] };
    return this.#within(this.wrappers(), pass, payload, call) as R;
  }

  /** Calls one handler and nothing around it, watched; a wrapper like a handler, both halves. */
  callOne(entry: Entry, payload: P, call: Call, watch: Interceptor): unknown {
    if (this.special) this.prepare(payload, call);
    const entries = entry.wraps ? [] : [entry];
    const pass = { target: this, entries, canWait: true, watch: [...this.#always(), watch] };
    return this.#within(entry.wraps ? [entry] : [], pass, payload, call);
  }

  #within(wrappers: readonly Entry[], pass: Pass, payload: P, call: Call): unknown {
    if (wrappers.length === 0) return begin(pass, payload, call);
    const inner: Caller = (given, about, suspended) => begin(pass, given, about, suspended);
    return wrap({ target: this, wrappers, inner, canWait: true }, false)(payload, call, undefined);
  }

  /** Those who watch every call. */
  #always(): Interceptor[] {
    return this.watches.filter(({ every }) => every === 1).map(({ interceptor }) => interceptor);
  }

  /** The handler or wrapper that has this id in this plugin. */
  find(plugin: string, handler: string): Entry | undefined {
    const isIt = (entry: Entry) => entry.id === handler && entry.plugin === plugin;
    return this.#handlers.sorted().find(isIt) ?? this.#wrappers.sorted().find(isIt);
  }

  /** The same hook without the handlers of some plugins; follows later registrations. */
  subset(without: Iterable<string>): Hook<P, R> {
    const names = [...new Set(without)].sort();
    const key = JSON.stringify(names);
    const known = this.#subsets.get(key);
    if (known !== undefined) return known.hook;
    const subset = { without: new Set(names), hook: new Hook<P, R>(this.name, this.row, this.#shared) };
    for (const entry of [...this.#handlers, ...this.#wrappers]) {
      if (!subset.without.has(entry.plugin)) subset.hook.add(entry);
    }
    subset.hook.#history = this.#history;
    subset.hook.#without = new Set([...this.#without, ...names]);
    this.#subsets.set(key, subset);
    return subset.hook;
  }

  /** How many handlers and wrappers there are. */
  get size(): number {
    return this.#handlers.size + this.#wrappers.size;
  }

  /** In which order the wrappers, then the handlers, are called, and why. */
  explain(): { plugin: string; handler: string; because: string }[] {
    return [...this.#wrappers.explain(), ...this.#handlers.explain()];
  }

  /** Adds a handler or wrapper. Throws, and has changed nothing, if its place in the order contradicts another's. */
  add(entry: Entry): void {
    const order = entry.wraps ? this.#wrappers : this.#handlers;
    order.add(entry);
    try {
      order.check(entry);
    } catch (error) {
      order.delete(entry);
      throw error;
    }
    for (const subset of this.#subsets.values()) if (!subset.without.has(entry.plugin)) subset.hook.add(entry);
    this.reset();
  }

  delete(entry: Entry): void {
    (entry.wraps ? this.#wrappers : this.#handlers).delete(entry);
    for (const subset of this.#subsets.values()) subset.hook.delete(entry);
    this.reset();
  }

  /** Calls newcomers to a historic hook with what they missed, in order. */
  async replay(entries: readonly Entry[]): Promise<void> {
    const newcomers = new Order(this.name);
    for (const entry of entries) newcomers.add(entry);
    const watch = this.#always();
    for (const { payload, call, without } of [...(this.#history ?? [])]) {
      const record = newRecord();
      const entries = newcomers.sorted().filter((entry) => !without.has(entry.plugin));
      const pass = { target: this, entries, canWait: true, watch: watch.length > 0 ? watch : undefined };
      const result = begin(pass, payload, { ...call, record });
      if (result instanceof Promise) await result;
      for (const { answer, plugin } of record.answers) {
        try {
          call?.late?.(answer, plugin);
        } catch (error) {
          process.emitWarning(`a callback for late answers failed: ${String(error)}`, 'PatchbayWarning');
        }
      }
    }
  }

  /** Forgets how to call the hook: something changed. */
  reset(): void {
    this.mayWait.reset();
    this.mayNotWait.reset();
    for (const subset of this.#subsets.values()) subset.hook.reset();
  }

  get deadlines(): Deadlines {
    return this.#shared.deadlines;
  }
  get pulse(): Pulse {
    return this.#shared.pulse;
  }
  get codegen(): boolean {
    return this.#shared.codegen;
  }
  get watches(): readonly Watch[] {
    return this.#shared.watches;
  }
  handlers(): readonly Entry[] {
    return this.#handlers.sorted();
  }
  wrappers(): readonly Entry[] {
    return this.#wrappers.sorted();
  }

  fail(entry: Entry, thrown: unknown, payload: unknown, call: Call | undefined): void {
    const failure = blame(entry, thrown, payload, call);
    if (!Fault.is(thrown) || thrown.counts) entry.failed();
    else if (failure.code === 'HOOK_REFUSED') entry.worked();
    if (failure.code !== 'HOOK_REFUSED') {
      call?.record?.failures.push(failure);
      this.#shared.failed(failure);
    }
    if (entry.closed) throw refusal(failure, runOf(payload, call));
  }

  suspend(pass: Pass, call: Call | undefined): Suspended {
    return new SuspendedCall(pass, call, undefined);
  }

  replace(entry: Entry, result: unknown, replacement: unknown, call: Call | undefined): unknown {
    if (this.kind === 'notify' || (replacement === null && this.kind !== 'first')) return result;
    const problem = problemOfResult(this.row, replacement);
    if (problem !== undefined) throw new Fault('HANDLER_ANSWER', `replaced the result by what is none: ${problem}`);
    if (this.kind !== 'waterfall') return replacement;
    const after = this.freezes ? freezeDeep(replacement) : replacement;
    call?.record?.changes.push({ plugin: entry.plugin, handler: entry.id, before: result, after });
    return after;
  }
}
