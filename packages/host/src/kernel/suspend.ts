import type { Call } from './call.ts';
import { Context } from './context.ts';
import type { Waiter } from './deadlines.ts';
import type { Entry } from './entry.ts';
import { Fault } from './failure.ts';
import { type Ear, endOf, isNative, listen } from './invoke.ts';
import { loop, none, type Pass, pending, type Suspended, settled } from './loop.ts';

/** Who has the last word on what a suspended call comes to. */
export interface Parent {
  /** Whether it has a promise of its own out: then the call needs none. */
  readonly isPromised: boolean;
  /** Gives what the promise of the call is to be kept with; throws what it is to be rejected with. */
  leave(result: unknown, refusal: unknown): unknown;
}

/**
 * A call that is waiting. It goes from handler to handler with one promise and two functions for the whole call; only
 * a deadline that passes makes new ones, so that a late answer has nobody left to tell.
 *
 * One is made for each such call. Its fields are private to the compiler only: to set up as many with a # would cost
 * a third of the call.
 */
export class SuspendedCall implements Suspended, Waiter {
  expires = 0;
  previous: Waiter | undefined = undefined;
  next: Waiter | undefined = undefined;
  private readonly pass: Pass;
  private readonly call: Call | undefined;
  private readonly parent: Parent | undefined;
  private i = 0;
  private answer: object | undefined = undefined;
  private payload: unknown = undefined;
  private gathered: unknown[] | undefined = undefined;
  private context: Context | undefined = undefined;
  private resolve: Ear | undefined = undefined;
  private reject: Ear | undefined = undefined;
  private ok!: Ear;
  private no!: Ear;

  constructor(pass: Pass, call: Call | undefined, parent: Parent | undefined) {
    this.pass = pass;
    this.call = call;
    this.parent = parent;
    this.hear();
  }

  wait(
    _pass: Pass,
    i: number,
    payload: unknown,
    gathered: unknown[] | undefined,
    context: Context | undefined,
    answer: PromiseLike<unknown>,
  ): unknown {
    const { target, entries } = this.pass;
    const isFirst = this.expires === 0;
    this.answer = answer;
    this.i = i;
    this.payload = payload;
    this.gathered = gathered;
    this.context = context;
    this.expires = target.deadlines.tick + (entries[i] as Entry).ticks;
    listen(answer, this.ok, this.no);
    if (!isFirst) return pending;
    target.deadlines.add(this);
    if (this.parent?.isPromised) return pending;
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Ears for the answers to come; earlier ones go deaf. */
  private hear(): void {
    const ok = (value: unknown) => {
      if (this.ok === ok) this.arrived(value);
    };
    this.ok = ok;
    this.no = (error) => {
      if (this.ok === ok) this.failed(error);
    };
  }

  /** The deadline of the handler it waits for has passed. */
  expired(): void {
    this.hear();
    const entry = this.pass.entries[this.i] as Entry;
    const fault = new Fault('HANDLER_TIMEOUT', `did not answer within ${entry.deadlineMs} ms`);
    const error = new Error(`${entry.plugin}: ${fault.message}`);
    if (this.answer !== undefined) endOf.get(this.answer)?.({ error });
    Context.abort(this.context, error);
    this.failed(fault);
  }

  private failed(thrown: unknown): void {
    const { target, entries } = this.pass;
    try {
      target.fail(entries[this.i] as Entry, thrown, this.payload, this.call);
    } catch (refused) {
      this.refused(refused);
      return;
    }
    this.goOn(this.i + 1, none);
  }

  /** Goes on to the next handler. The usual case, observers that wait and answer nothing, takes no detour. */
  private arrived(value: unknown): void {
    const { target, entries, watch } = this.pass;
    const entry = entries[this.i] as Entry;
    if ((value !== undefined && value !== null) || watch !== undefined || !entry.ok) {
      this.goOn(this.i, value);
      return;
    }
    this.i++;
    const next = entries[this.i];
    if (next === undefined) {
      this.ended(settled(target.kind, this.payload, this.gathered));
      return;
    }
    if (!next.simple) {
      this.goOn(this.i, none);
      return;
    }
    this.context = undefined;
    let answer: unknown;
    try {
      const { fn } = next;
      answer = fn(this.payload);
    } catch (thrown) {
      this.failed(thrown);
      return;
    }
    if (isNative(answer)) {
      this.expires = target.deadlines.tick + next.ticks;
      answer.then(this.ok, this.no);
    } else {
      this.goOn(this.i, answer);
    }
  }

  private goOn(i: number, arrived: unknown): void {
    let result: unknown;
    try {
      result = loop(this.pass, i, this.payload, this.gathered, this.call, arrived, undefined, this);
    } catch (refused) {
      this.refused(refused);
      return;
    }
    if (result !== pending) this.ended(result);
  }

  private ended(result: unknown): void {
    this.pass.target.deadlines.delete(this);
    if (this.parent === undefined) this.resolve?.(result);
    else this.leave(this.parent, result, undefined);
  }

  private refused(refusal: unknown): void {
    this.pass.target.deadlines.delete(this);
    if (this.parent === undefined) this.reject?.(refusal);
    else this.leave(this.parent, undefined, refusal);
  }

  private leave(parent: Parent, result: unknown, refusal: unknown): void {
    let kept: unknown;
    try {
      kept = parent.leave(result, refusal);
    } catch (rejected) {
      this.reject?.(rejected);
      return;
    }
    this.resolve?.(kept);
  }
}
