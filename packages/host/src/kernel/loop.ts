import type { HookKind } from 'patchbay-sdk';
import type { Call } from './call.ts';
import { Context } from './context.ts';
import type { Entry } from './entry.ts';
import type { Interceptor } from './intercept.ts';
import { admits, isThenable, unawaited, watched } from './invoke.ts';

/** What the loop, a suspended call and generated code need of a hook. */
export interface Target {
  readonly kind: HookKind;
  /** Judges an answer: gives it back, or undefined if there is nothing to keep, or throws the fault it finds. */
  readonly judge: ((entry: Entry, answer: unknown) => unknown) | undefined;
  /** Freezes a rewritten payload, where the hook does that. */
  readonly seal: (payload: unknown) => unknown;
  /** Takes note of a failure. Gives the refusal if that is what it comes to. */
  fail(entry: Entry, thrown: unknown, payload: unknown, call: Call | undefined): Error | undefined;
  /** Makes a call one that can wait. */
  suspend(entries: readonly Entry[], call: Call | undefined, watch: readonly Interceptor[] | undefined): Suspended;
}

/** A call that waits for handlers that answer promises. */
export interface Suspended {
  /** Go on at handler `i` when `answer` is there. Gives the promise of the whole call, or `pending` if that is out. */
  wait(
    i: number,
    payload: unknown,
    gathered: unknown[] | undefined,
    context: Context | undefined,
    answer: PromiseLike<unknown>,
  ): unknown;
}

/** Whether a call can wait for promises, or already does. */
export type Waiting = 'never' | 'may' | Suspended;

/** The result of a step of a suspended call that is still waiting. */
export const pending: unique symbol = Symbol('pending');

/** No answer has arrived yet. */
export const none: unique symbol = Symbol('none');

/** What `merge` gathers. */
export interface Gift {
  readonly entry: Entry;
  readonly answer: unknown;
}

/**
 * Calls the handlers from `i` on, one after the other: the one caller of every kind, async ones included. A promise
 * suspends it; it is entered again with what has `arrived` from handler `i`,
 * which is also how generated code hands over.
 */
export function loop(
  target: Target,
  entries: readonly Entry[],
  i: number,
  payload: unknown,
  gathered: unknown[] | undefined,
  call: Call | undefined,
  waiting: Waiting,
  watch: readonly Interceptor[] | undefined,
  arrived: unknown,
  context: Context | undefined,
): unknown {
  let answer = arrived;
  // The try stands outside the inner loop because that is a sixth faster; a failure just enters it again.
  for (;;) {
    let entry: Entry | undefined;
    try {
      for (; i < entries.length; i++, answer = none) {
        entry = entries[i] as Entry;
        if (answer === none) {
          const fn = entry.fn;
          if (entry.simple && watch === undefined) {
            answer = fn(payload);
          } else {
            if (!admits(entry)) continue;
            context = entry.wantsContext ? new Context(entry, call) : undefined;
            answer = watch === undefined ? fn(payload, context) : watched(watch, entry, payload, context, call);
          }
        }
        if (answer === undefined || answer === null) {
          if (!entry.ok) entry.worked();
          continue;
        }
        if (isThenable(answer)) {
          if (waiting === 'never') throw unawaited(answer);
          const suspended = waiting === 'may' ? target.suspend(entries, call, watch) : waiting;
          return suspended.wait(i, payload, gathered, context, answer);
        }
        if (target.judge !== undefined) answer = target.judge(entry, answer);
        if (!entry.ok) entry.worked();
        if (answer === undefined) continue;
        call?.record?.answers.push({ plugin: entry.plugin, handler: entry.id, answer });
        switch (target.kind) {
          case 'first':
            return answer;
          case 'collect':
            gathered?.push(answer);
            break;
          case 'merge':
            gathered?.push({ entry, answer } satisfies Gift);
            break;
          case 'waterfall':
            payload = rewritten(target, entry, payload, answer, call);
            break;
          case 'notify':
            break;
        }
      }
      return settled(target.kind, payload, gathered);
    } catch (thrown) {
      const refused = target.fail(entry as Entry, thrown, payload, call);
      if (refused !== undefined) throw refused;
      answer = none;
      i++;
    }
  }
}

/** What a call comes to when all handlers have answered. */
function settled(kind: HookKind, payload: unknown, gathered: unknown[] | undefined): unknown {
  if (kind === 'waterfall') return payload;
  return kind === 'first' ? null : gathered;
}

/** Takes over a rewritten payload and notes who changed it. */
function rewritten(target: Target, entry: Entry, before: unknown, answer: unknown, call: Call | undefined): unknown {
  const after = target.seal(answer);
  if (after !== before) call?.record?.changes.push({ plugin: entry.plugin, handler: entry.id, before, after });
  return after;
}
