import type { Call } from './call.ts';
import type { Context } from './context.ts';
import type { Entry } from './entry.ts';
import { Fault, runOf } from './failure.ts';
import type { Interceptor } from './intercept.ts';

const nativeThen = Promise.prototype.then;

/** Whether it is a promise of the engine's own, with nothing about it changed. */
export function isNative(answer: unknown): answer is Promise<unknown> {
  try {
    return answer instanceof Promise && answer.then === nativeThen && answer.constructor === Promise;
  } catch {
    return false;
  }
}

/** Hears what becomes of a promise. */
export type Ear = (value: unknown) => void;

/** Hears of an answer exactly once, whatever a foreign `then` does. */
export function listen(answer: PromiseLike<unknown>, ok: Ear, no: Ear): void {
  const native = isNative(answer) ? answer : new Promise((resolve) => resolve(answer));
  native.then(ok, no);
}

/** Whether a value must be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Whether a handler that needs a closer look is called. Throws the fault that says why not, if there is one. */
export function admits(entry: Entry): boolean {
  if (entry.ok) return true;
  if (!entry.live) return false;
  if (entry.admit()) return true;
  throw new Fault('HANDLER_PAUSED', `is paused after ${entry.failures} failures in a row`, false);
}

/** What becomes of a promise that nobody can wait for: it must not end the process when it is rejected. */
export function unawaited(answer: PromiseLike<unknown>): Fault {
  listen(
    answer,
    () => {},
    () => {},
  );
  return new Fault('HANDLER_ASYNC', 'answered a promise to a caller that cannot wait');
}

/** Who watches the handler that answered this promise, to be told when nobody waits for it any more. */
export const endOf = new WeakMap<object, (failure: { error: unknown }) => void>();

/** Calls a handler with those who watch before and after it; they see async ones end too. */
export function watched(
  watch: readonly Interceptor[],
  entry: Entry,
  payload: unknown,
  context: Context | undefined,
  call: Call | undefined,
): unknown {
  const seen = { plugin: entry.plugin, hook: entry.hook, handler: entry.id, run: runOf(payload, call) };
  const ends = watch.map((interceptor) => interceptor(seen));
  let ended = false;
  const end = (failure?: { error: unknown }, answer?: unknown) => {
    if (ended) return;
    ended = true;
    for (let i = ends.length - 1; i >= 0; i--) ends[i]?.(failure, answer);
  };
  try {
    const { fn } = entry;
    const answer = fn(payload, context);
    if (!isThenable(answer)) {
      end(undefined, answer);
      return answer;
    }
    const promise = new Promise((resolve) => resolve(answer));
    endOf.set(promise, end);
    promise.then(
      (value) => end(undefined, value),
      (error) => end({ error }),
    );
    return promise;
  } catch (thrown) {
    end({ error: thrown });
    throw thrown;
  }
}
