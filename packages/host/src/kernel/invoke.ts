import type { Call } from './call.ts';
import type { Context } from './context.ts';
import type { Entry } from './entry.ts';
import { Fault } from './failure.ts';
import type { Interceptor } from './intercept.ts';

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
  Promise.resolve(answer).catch(() => {});
  return new Fault('HANDLER_ASYNC', 'answered a promise to a caller that cannot wait');
}

/** Calls a handler with those who watch before and after it; they see async ones end too. */
export function watched(
  watch: readonly Interceptor[],
  entry: Entry,
  payload: unknown,
  context: Context | undefined,
  call: Call | undefined,
): unknown {
  const seen = { plugin: entry.plugin, hook: entry.hook, handler: entry.id, run: call?.run };
  const ends = watch.map((interceptor) => interceptor(seen));
  const end = (error?: unknown) => {
    for (let i = ends.length - 1; i >= 0; i--) ends[i]?.(error);
  };
  try {
    const { fn } = entry;
    const answer = fn(payload, context);
    if (isThenable(answer)) Promise.resolve(answer).then(() => end(), end);
    else end();
    return answer;
  } catch (thrown) {
    end(thrown);
    throw thrown;
  }
}
