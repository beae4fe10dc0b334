import type { Call } from './call.ts';
import { type Caller, generate } from './compile.ts';
import { Context } from './context.ts';
import { notWaiting, type Waiter } from './deadlines.ts';
import type { Entry } from './entry.ts';
import { Fault } from './failure.ts';
import { admits, type Ear, isThenable, listen, unawaited } from './invoke.ts';
import { none, type Pass, pending, type Suspended, type Target } from './loop.ts';
import { type Parent, SuspendedCall } from './suspend.ts';

/** What wrappers need of a hook, beyond what handlers need. */
export interface WrapTarget extends Target {
  /** Checks a result that a wrapper puts in place of another; gives the one to keep. Throws a Fault. */
  replace(entry: Entry, result: unknown, replacement: unknown, call: Call | undefined): unknown;
}

/** Some wrappers, the first of them outermost, and the caller they stand around. */
export interface Wrapped {
  readonly target: WrapTarget;
  readonly wrappers: readonly Entry[];
  readonly inner: Caller;
  readonly canWait: boolean;
}

/** What second halves are given: see the SDK. Classes here, not literals: the engine would move those to its old space. */
class Outcome {
  readonly result: unknown;
  readonly refusal: unknown;

  constructor(result: unknown, refusal: unknown) {
    this.result = result;
    this.refusal = refusal;
  }
}

/** A wrapper whose first half worked and answered a second half, and the one outside of it. */
class Entered {
  readonly entry: Entry;
  readonly after: (outcome: Outcome) => unknown;
  readonly context: Context | undefined;
  readonly outer: Entered | undefined;

  constructor(
    entry: Entry,
    after: (outcome: Outcome) => unknown,
    context: Context | undefined,
    outer: Entered | undefined,
  ) {
    this.context = context;
    this.entry = entry;
    this.after = after;
    this.outer = outer;
  }
}

/** Puts wrappers around a caller. Hot ones get generated code, where that is allowed. */
export function wrap(wrapped: Wrapped, hot: boolean): Caller {
  const plain: Caller = (payload, call) =>
    new WrappedCall(wrapped, payload, call, undefined, undefined).go('before', 0, undefined, none, none);
  return (hot ? compileWrapped(wrapped) : undefined) ?? plain;
}

/**
 * Does for one set of wrappers what `WrappedCall` does for all, as long as nothing is out of the ordinary; then hands
 * over to it.
 */
function compileWrapped(wrapped: Wrapped): Caller | undefined {
  const { wrappers } = wrapped;
  const names = (prefix: string) => wrappers.map((_, i) => prefix + i).join(', ');
  const over = (entered: string, result: string) =>
    `return new WrappedCall(wrapped, payload, call, ${entered}, ${result})`;
  /** The wrappers up to `i` that answered a second half. */
  const entered = (i: number): string => (i < 0 ? 'undefined' : `enter(e${i}, a${i}, c${i}, ${entered(i - 1)})`);
  const before = ({ wantsContext }: Entry, i: number) => `
  if (!e${i}.ok) ${over(entered(i - 1), 'undefined')}.go('before', ${i}, undefined, none, none);
  ${wantsContext ? `c${i} = new Context(e${i}, call, payload);` : ''}
  try { a${i} = h${i}(payload, c${i}); } catch (x) { ${over(entered(i - 1), 'undefined')}.go('before', ${i}, c${i}, none, x); }
  if (a${i} !== undefined && typeof a${i} !== 'function') ${over(entered(i - 1), 'undefined')}.go('before', ${i}, c${i}, a${i}, none);`;
  const after = (_: Entry, i: number) => `
  if (a${i} !== undefined) {
    try { r = a${i}(new Outcome(result, undefined)); } catch (x) { ${over(entered(i), 'result')}.go('after', ${i}, undefined, none, x); }
    if (r !== undefined) ${over(entered(i), 'result')}.go('after', ${i}, undefined, r, none);
  }`;
  const all = entered(wrappers.length - 1);
  return generate(
    `const [${names('e')}] = wrapped.wrappers;
const [${names('h')}] = wrapped.wrappers.map((entry) => entry.fn);
const { inner } = wrapped;
let waits = false;
return (payload, call) => {
  let r, result, ${names('c')}, ${names('a')};
  ${wrappers.map(before).join('')}
  // Once the handlers were seen to answer promises, they are called so that they need none of their own.
  if (waits) ${over(all, 'undefined')}.go('within', 0, undefined, none, none);
  try { result = inner(payload, call, undefined); } catch (x) { ${over(all, 'undefined')}.go('within', 0, undefined, none, x); }
  if (isThenable(result)) { waits = true; ${over(all, 'undefined')}.go('within', 0, undefined, result, none); }
  ${wrappers.map(after).reverse().join('')}
  return result;
};`,
    { wrapped, WrappedCall, Context, Outcome, enter, isThenable, none },
  );
}

function enter(
  entry: Entry,
  after: unknown,
  context: Context | undefined,
  outer: Entered | undefined,
): Entered | undefined {
  return typeof after === 'function' ? new Entered(entry, after as Entered['after'], context, outer) : outer;
}

/**
 * One call with wrappers: their first halves from the outermost inwards, the handlers, their second halves from the
 * innermost outwards. The handlers are called once, or not at all if a wrapper refuses; every wrapper whose first half
 * worked gets its second half, with the refusal if there is one. A refusal is never undone.
 */
class WrappedCall implements Parent, Suspended, Waiter {
  expires = notWaiting;
  previous: Waiter | undefined = undefined;
  next: Waiter | undefined = undefined;
  private readonly wrapped: Wrapped;
  private readonly payload: unknown;
  private readonly call: Call | undefined;
  /** The innermost wrapper that is to get its second half. */
  private entered: Entered | undefined;
  private handlersWait = false;
  private phase: 'before' | 'within' | 'after' = 'before';
  /** In the phase before: the wrapper whose turn it is. */
  private i = 0;
  private context: Context | undefined = undefined;
  private result: unknown;
  private refusal: unknown = undefined;
  private promise: Promise<unknown> | undefined = undefined;
  private resolve: ((value: unknown) => void) | undefined = undefined;
  private reject: ((error: unknown) => void) | undefined = undefined;
  private ok: Ear | undefined = undefined;
  private no: Ear | undefined = undefined;

  constructor(
    wrapped: Wrapped,
    payload: unknown,
    call: Call | undefined,
    entered: Entered | undefined,
    result: unknown,
  ) {
    this.wrapped = wrapped;
    this.payload = payload;
    this.call = call;
    this.entered = entered;
    this.result = result;
  }

  /** Goes on from anywhere, with what was answered or thrown there, if anything was. */
  go(
    phase: 'before' | 'within' | 'after',
    i: number,
    context: Context | undefined,
    answer: unknown,
    thrown: unknown,
  ): unknown {
    this.phase = phase;
    this.i = i;
    this.context = context;
    const result = thrown === none ? this.step(answer) : this.failed(thrown);
    return result === pending ? this.promise : result;
  }

  private step(arrived: unknown): unknown {
    switch (this.phase) {
      case 'before':
        return this.before(arrived);
      case 'within':
        return this.within(arrived);
      case 'after':
        return this.after(arrived);
    }
  }

  /** Something went wrong where the call stands. */
  private failed(thrown: unknown): unknown {
    if (this.phase === 'within') {
      this.refusal = thrown;
      return this.secondHalves();
    }
    try {
      this.wrapped.target.fail(this.current(), thrown, this.payload, this.call);
    } catch (refusal) {
      this.refusal ??= refusal;
    }
    if (this.phase === 'after') {
      this.entered = this.entered?.outer;
      return this.after(none);
    }
    this.i++;
    return this.refusal === undefined ? this.before(none) : this.secondHalves();
  }

  /** The wrapper whose turn it is. */
  private current(): Entry {
    const { wrappers } = this.wrapped;
    return (this.phase === 'after' ? this.entered?.entry : wrappers[this.i]) as Entry;
  }

  private before(arrived: unknown): unknown {
    const { wrappers } = this.wrapped;
    for (let answer = arrived; this.i < wrappers.length; this.i++, answer = none) {
      const entry = wrappers[this.i] as Entry;
      try {
        if (answer === none) {
          if (!entry.ok && !admits(entry)) continue;
          this.context = entry.wantsContext ? new Context(entry, this.call, this.payload) : undefined;
          const { fn } = entry;
          answer = fn(this.payload, this.context);
        }
        if (typeof answer !== 'function' && isThenable(answer)) return this.hold(answer, entry.ticks);
        if (typeof answer !== 'function' && answer !== undefined && answer !== null) {
          throw new Fault('HANDLER_ANSWER', 'wraps, and may answer a function to be called afterwards, nothing else');
        }
      } catch (thrown) {
        return this.failed(thrown);
      }
      if (typeof answer !== 'function' && !entry.ok) entry.worked();
      this.entered = enter(entry, answer, this.context, this.entered);
    }
    this.phase = 'within';
    return this.within(none);
  }

  private within(arrived: unknown): unknown {
    let result = arrived;
    try {
      const { inner, canWait } = this.wrapped;
      if (result === none) result = inner(this.payload, this.call, canWait ? this : undefined);
      if (this.handlersWait) {
        this.expires = notWaiting;
        return result;
      }
      if (isThenable(result)) return this.hold(result, undefined);
    } catch (refusal) {
      return this.failed(refusal);
    }
    this.result = result;
    return this.secondHalves();
  }

  /**
   * The handlers wait for one of theirs, with a promise that becomes that of this call, unless it has one already.
   * `leave` has the last word on it.
   */
  wait(
    pass: Pass,
    i: number,
    payload: unknown,
    gathered: unknown[] | undefined,
    context: Context | undefined,
    answer: PromiseLike<unknown>,
  ): unknown {
    this.handlersWait = true;
    return new SuspendedCall(pass, this.call, this).wait(pass, i, payload, gathered, context, answer);
  }

  get isPromised(): boolean {
    return this.promise !== undefined;
  }

  leave(result: unknown, refusal: unknown): unknown {
    this.result = result;
    this.refusal = refusal;
    this.phase = 'after';
    if (this.promise !== undefined) {
      this.resume(none, none);
      return undefined;
    }
    const kept = this.after(none);
    return kept === pending ? this.promise : kept;
  }

  /** On to the second halves. */
  private secondHalves(): unknown {
    this.phase = 'after';
    return this.after(none);
  }

  private after(arrived: unknown): unknown {
    const { target } = this.wrapped;
    for (let answer = arrived; this.entered !== undefined; this.entered = this.entered.outer, answer = none) {
      const { entry, after, context } = this.entered;
      this.context = context;
      try {
        if (answer === none) answer = after(new Outcome(this.result, this.refusal));
        if (isThenable(answer)) return this.hold(answer, entry.ticks);
        if (answer !== undefined && this.refusal === undefined) {
          this.result = target.replace(entry, this.result, answer, this.call);
        }
        if (!entry.ok) entry.worked();
      } catch (thrown) {
        return this.failed(thrown);
      }
    }
    if (this.refusal !== undefined) throw this.refusal;
    return this.result;
  }

  /** Waits for a half of a wrapper, or, without a deadline of its own, for the handlers within. */
  private hold(answer: PromiseLike<unknown>, ticks: number | undefined): unknown {
    const { target, canWait } = this.wrapped;
    if (!canWait) throw unawaited(answer);
    if (this.ok === undefined) {
      target.deadlines.add(this);
      this.hear();
    }
    this.expires = ticks === undefined ? notWaiting : target.deadlines.tick + ticks;
    listen(answer, this.ok as Ear, this.no as Ear);
    this.promise ??= new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    return pending;
  }

  /** Ears for the answers to come; earlier ones go deaf. */
  private hear(): void {
    const ok = (value: unknown) => {
      if (this.ok === ok) this.resume(value, none);
    };
    this.ok = ok;
    this.no = (error) => {
      if (this.ok === ok) this.resume(none, error);
    };
  }

  /** The deadline of the wrapper it waits for has passed. */
  expired(): void {
    this.hear();
    const { plugin, deadlineMs } = this.current();
    const fault = new Fault('HANDLER_TIMEOUT', `did not answer within ${deadlineMs} ms`);
    Context.abort(this.context, new Error(`${plugin}: ${fault.message}`));
    this.resume(none, fault);
  }

  private resume(answer: unknown, thrown: unknown): void {
    let settle = this.resolve;
    let result: unknown;
    try {
      result = thrown === none ? this.step(answer) : this.failed(thrown);
      if (result === pending) return;
    } catch (refusal) {
      settle = this.reject;
      result = refusal;
    }
    this.wrapped.target.deadlines.delete(this);
    settle?.(result);
  }
}
