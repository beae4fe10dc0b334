import type { Call } from './call.ts';
import { Context } from './context.ts';
import type { Entry } from './entry.ts';
import { isThenable } from './invoke.ts';
import { loop, none, type Target, type Waiting } from './loop.ts';

/** A call of a hook, of any tier. */
export type Caller = (payload: unknown, call: Call | undefined) => unknown;

/** Beyond these the source text grows faster than it gains. */
const limits = { notify: 200, first: 200, waterfall: 200, collect: 40, merge: 0 } as const;

let made = 0;

/**
 * Generates the caller of one hook with its present handlers: the loop, unrolled, so that each call site knows its
 * one handler and the engine can inline it. Does exactly what `loop` does, and hands over to it whenever something is
 * out of the ordinary: a promise, a handler in trouble, a call that wants a record. Gives undefined where generating
 * code is forbidden, or not worth it.
 *
 * Every source text is made unique: identical texts would share the engine's type feedback and be slow together.
 */
export function compile(target: Target, entries: readonly Entry[], waiting: Waiting): Caller | undefined {
  if (entries.length === 0 || entries.length > limits[target.kind]) return undefined;
  const collect = target.kind === 'collect';
  const names = (prefix: string, n = entries.length) => Array.from({ length: n }, (_, i) => prefix + i).join(', ');
  const step = (entry: Entry, i: number) => {
    const r = collect ? `r${i}` : 'r';
    const gathered = collect ? `given([${names('r', i)}])` : 'undefined';
    const answer = entry.wantsContext ? `h${i}(p, c = new Context(e${i}, call))` : `h${i}(p)`;
    const context = entry.wantsContext ? 'c' : 'undefined';
    const judged = target.judge === undefined ? '' : `if (!later) ${r} = judge(e${i}, ${r});`;
    return `
  if (!e${i}.ok) return loop(${i}, p, ${gathered}, call, none, undefined);
  try {
    ${r} = ${answer};
    if (${r} !== undefined && ${r} !== null) { later = isThenable(${r}); ${judged} }
  } catch (thrown) {
    fail(e${i}, thrown, p, call);
    ${r} = undefined;
  }
  if (later) return loop(${i}, p, ${gathered}, call, ${r}, ${context});
  ${after[target.kind](r)}`;
  };
  const source = `'use strict'; // ${made++}
const [${names('e')}] = entries;
const [${names('h')}] = entries.map((entry) => entry.fn);
return (p, call) => {
  if (call !== undefined && call.record !== undefined) return loop(0, p, ${collect ? '[]' : 'undefined'}, call, none, undefined);
  let later = false, full = true, c, ${collect ? names('r') : 'r'};
${entries.map(step).join('\n')}
  return ${{ notify: 'undefined', first: 'null', waterfall: 'p', merge: '', collect: `full ? [${names('r')}] : given([${names('r')}])` }[target.kind]};
};`;
  const parts = {
    entries,
    none,
    Context,
    isThenable,
    judge: target.judge,
    seal: target.seal,
    given: (answers: unknown[]) => answers.filter((answer) => answer !== undefined && answer !== null),
    fail: (entry: Entry, thrown: unknown, payload: unknown, call: Call | undefined) => {
      const refused = target.fail(entry, thrown, payload, call);
      if (refused !== undefined) throw refused;
    },
    loop: (
      i: number,
      payload: unknown,
      gathered: unknown[] | undefined,
      call: Call | undefined,
      arrived: unknown,
      context: Context | undefined,
    ) => loop(target, entries, i, payload, gathered, call, waiting, undefined, arrived, context),
  };
  try {
    return new Function(...Object.keys(parts), source)(...Object.values(parts)) as Caller;
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/** What each kind does with the answer of a handler. */
const after = {
  notify: () => '',
  first: (r: string) => `if (${r} !== undefined && ${r} !== null) return ${r};`,
  collect: (r: string) => `if (${r} === undefined || ${r} === null) full = false;`,
  waterfall: (r: string) => `if (${r} !== undefined && ${r} !== null) p = seal(${r});`,
  merge: () => '',
} as const;
