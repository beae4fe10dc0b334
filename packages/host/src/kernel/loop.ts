import type { HookKind } from 'patchbay-sdk';
import type { Call } from './call.ts';
import { Context } from './context.ts';
import type { Deadlines } from './deadlines.ts';
import type { Entry } from './entry.ts';
import { freezeDeep } from './freeze.ts';
import type { Interceptor } from './intercept.ts';
import { admits, isThenable, unawaited, watched } from './invoke.ts';

/** What calling handlers needs of their hook. */
export interface Target {
  readonly kind: HookKind;
  /** Judges an answer: gives it back, or undefined if there is nothing to keep, or throws the fault it finds. */
  readonly judge: ((entry: Entry, answer: unknown) => unknown) | undefined;
  /** Whether payloads are frozen. */
  readonly freezes: boolean;
  readonly deadlines: Deadlines;
  /** Takes note of a failure; throws if that refuses the call. */
  fail(entry: Entry, thrown: unknown, payload: unknown, call: Call | undefined): void;
  /** Makes a call one that can wait. */
  suspend(pass: Pass, call: Call | undefined): Suspended;
}

/** Some handlers of a hook, in order, and how they are to be called. The same for many calls. */
export interface Pass {
  readonly target: Target;
  readonly entries: readonly Entry[];
  readonly canWait: boolean;
  readonly watch: readonly Interceptor[] | undefined;
}

/** A call that waits for handlers that answer promises. */
export interface Suspended {
  /** Go on at handler `i` when `answer` is there. Gives the promise of the whole call, or `pending` if that is out. */
  wait(
    pass: Pass,
    i: number,
    payload: unknown,
    gathered: unknown[] | undefined,
    context: Context | undefined,
    answer: PromiseLike<unknown>,
  ): unknown;
}

/** The result of a step of a suspended call that is still waiting. */
export const pending: unique symbol = Symbol('pending');

/** No answer has arrived yet. */
export const none: unique symbol = Symbol('none');

/** What `merge` gathers. */
export interface Gift {
  readonly entry: Entry;
  readonly pairs: readonly (readonly [string, unknown])[];
}

/** Calls all handlers of a pass, on behalf of a call that can already wait, if one is given. */
export function begin(pass: Pass, payload: unknown, call: Call | undefined, suspended?: Suspended): unknown {
  const { kind } = pass.target;
  const gathered = kind === 'collect' || kind === 'merge' ? [] : undefined;
  return loop(pass, 0, payload, gathered, call, none, undefined, suspended);
}

/**
 * Calls the handlers from `i` on, one after the other: the one caller of every kind, async ones included. A promise
 * suspends it; it is entered again with what has `arrived` from handler `i`, which is also how faster callers that
 * meet something out of the ordinary hand over.
 */
export function loop(
  pass: Pass,
  i: number,
  payload: unknown,
  gathered: unknown[] | undefined,
  call: Call | undefined,
  arrived: unknown,
  context: Context | undefined,
  suspended: Suspended | undefined,
): unknown {
  const { target, entries, watch } = pass;
  const { kind, judge } = target;
  let answer = arrived;
  for (; i < entries.length; i++, answer = none) {
    const entry = entries[i] as Entry;
    let later = false;
    let pairs: [string, unknown][] = [];
    try {
      if (answer === none) {
        const { fn } = entry;
        if (entry.simple && watch === undefined) {
          context = undefined;
          answer = fn(payload);
        } else {
          if (!admits(entry)) continue;
          context = entry.wantsContext ? new Context(entry, call, payload) : undefined;
          answer = watch === undefined ? fn(payload, context) : watched(watch, entry, payload, context, call);
        }
      }
      if (answer !== undefined && answer !== null) {
        later = isThenable(answer);
        if (later && !pass.canWait) throw unawaited(answer as PromiseLike<unknown>);
        if (!later && judge !== undefined) answer = judge(entry, answer);
        if (!later && kind === 'waterfall' && target.freezes) freezeDeep(answer);
        if (!later && kind === 'merge' && answer !== undefined) pairs = Object.entries(answer as object);
      }
    } catch (thrown) {
      target.fail(entry, thrown, payload, call);
      continue;
    }
    if (later) {
      suspended ??= target.suspend(pass, call);
      return suspended.wait(pass, i, payload, gathered, context, answer as PromiseLike<unknown>);
    }
    if (!entry.ok) entry.worked();
    if (answer === undefined || answer === null) continue;
    call?.record?.answers.push({ plugin: entry.plugin, handler: entry.id, answer });
    if (kind === 'first') return answer;
    if (kind === 'collect') gathered?.push(answer);
    else if (kind === 'merge') gathered?.push({ entry, pairs } satisfies Gift);
    else if (kind === 'waterfall') payload = rewritten(entry, payload, answer, call);
  }
  return settled(kind, payload, gathered);
}

/** What a call comes to when all handlers have answered. */
export function settled(kind: HookKind, payload: unknown, gathered: unknown[] | undefined): unknown {
  if (kind === 'waterfall') return payload;
  return kind === 'first' ? null : gathered;
}

/** Takes over a rewritten payload and notes who changed it. */
function rewritten(entry: Entry, before: unknown, after: unknown, call: Call | undefined): unknown {
  if (after !== before) call?.record?.changes.push({ plugin: entry.plugin, handler: entry.id, before, after });
  return after;
}
