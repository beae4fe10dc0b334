import type { Call } from './call.ts';
import { Context } from './context.ts';
import type { Entry } from './entry.ts';
import { freezeDeep } from './freeze.ts';
import { isThenable } from './invoke.ts';
import { begin, loop, none, type Pass, type Suspended } from './loop.ts';

/** A way to call the handlers of a hook. */
export type Caller = (payload: unknown, call: Call | undefined, suspended: Suspended | undefined) => unknown;

/** Beyond these the source text grows faster than it gains. */
const limits = { notify: 200, first: 200, waterfall: 200, collect: 40, merge: 0 } as const;

let made = 0;

/** Counters that are taken down by every call, and what calls the hook when one of them has run out. */
export interface Sampling {
  readonly counters: readonly { left: number }[];
  readonly due: Caller;
}

/**
 * Generates the caller of one hook with its present handlers: the loop, unrolled, so that each call site knows its
 * one handler and the engine can inline it. Does exactly what `loop` does, and hands over to it whenever something is
 * out of the ordinary: a promise, a handler in trouble, a call that wants a record. Gives undefined where generating
 * code is forbidden, or not worth it.
 */
export function compile(pass: Pass, sampling?: Sampling): Caller | undefined {
  const { target, entries } = pass;
  const { kind, judge, freezes } = target;
  if (entries.length === 0 || entries.length > limits[kind]) return undefined;
  const collect = kind === 'collect';
  const names = (prefix: string, n = entries.length) => Array.from({ length: n }, (_, i) => prefix + i).join(', ');
  const waits = (i: number, gathered: string, r: string, context: string) =>
    pass.canWait
      ? `return (suspended ?? target.suspend(pass, call)).wait(pass, ${i}, p, ${gathered}, ${context}, ${r});`
      : `return loop(pass, ${i}, p, ${gathered}, call, ${r}, ${context}, suspended);`;
  const counters = (sampling?.counters ?? []).map((_, i) => `--counters[${i}].left <= 0`);
  // Every counter goes down, so no short cut with ||.
  const sample = counters.length === 0 ? '' : `if (${counters.join(' | ')}) return due(p, call, suspended);`;
  const step = ({ wantsContext }: Entry, i: number) => {
    const r = collect ? `r${i}` : 'r';
    const gathered = collect ? `given([${names('r', i)}])` : 'undefined';
    return `
  if (!e${i}.ok) return loop(pass, ${i}, p, ${gathered}, call, none, undefined, suspended);
  try {
    ${r} = ${wantsContext ? `h${i}(p, c = new Context(e${i}, call, p))` : `h${i}(p)`};
    if (${r} !== undefined && ${r} !== null) {
      later = isThenable(${r});
      ${judge === undefined ? '' : `if (!later) ${r} = judge(e${i}, ${r});`}
      ${kind === 'waterfall' && freezes ? `if (!later) freezeDeep(${r});` : ''}
    }
  } catch (thrown) {
    target.fail(e${i}, thrown, p, call);
    ${r} = undefined;
  }
  if (later) ${waits(i, gathered, r, wantsContext ? 'c' : 'undefined')}
  ${kept[kind](r)}`;
  };
  const all = `[${names('r')}]`;
  const result = {
    notify: 'undefined',
    first: 'null',
    waterfall: 'p',
    merge: '',
    collect: `full ? ${all} : given(${all})`,
  };
  const source = `const { target, entries } = pass;
const { judge } = target;
const [${names('e')}] = entries;
const [${names('h')}] = entries.map((entry) => entry.fn);
return (p, call, suspended) => {
  ${sample}
  if (call !== undefined && call.record !== undefined) return begin(pass, p, call, suspended);
  let later = false, full = true, c, ${collect ? names('r') : 'r'};
${entries.map(step).join('\n')}
  return ${result[kind]};
};`;
  return generate(source, { pass, begin, loop, none, given, Context, freezeDeep, isThenable, ...sampling });
}

/** Makes a caller from its source text and what that uses; undefined where generating code is forbidden. */
export function generate(source: string, uses: Readonly<Record<string, unknown>>): Caller | undefined {
  try {
    // Every text is made unique: identical ones would share the engine's type feedback and be slow together.
    const text = `'use strict'; // ${made++}\n${source}`;
    return new Function(...Object.keys(uses), text)(...Object.values(uses)) as Caller;
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/** What each kind does with the answer of a handler. */
const kept = {
  notify: () => '',
  first: (r: string) => `if (${r} !== undefined && ${r} !== null) return ${r};`,
  collect: (r: string) => `if (${r} === undefined || ${r} === null) full = false;`,
  waterfall: (r: string) => `if (${r} !== undefined && ${r} !== null) p = ${r};`,
  merge: () => '',
} as const;

function given(answers: unknown[]): unknown[] {
  return answers.filter((answer) => answer !== undefined && answer !== null);
}
