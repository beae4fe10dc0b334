import type { Call } from './call.ts';
import type { Callable, Entry } from './entry.ts';
import type { Pulse } from './health.ts';
import { begin, loop, none, type Pass } from './loop.ts';

/** A pass whose handlers can be called without a look at each, as long as the pulse does not beat. */
export interface Plain {
  readonly pass: Pass;
  readonly fns: readonly Callable[];
  readonly pulse: Pulse;
  /** The beat at which all handlers were last seen to be well. */
  wellAt: number;
}

/** A plain pass, for hooks that gain by it: the others are called by the loop. */
export function plainOf(pass: Pass, pulse: Pulse): Plain | undefined {
  const { kind, judge } = pass.target;
  if (pass.watch !== undefined || kind === 'collect' || kind === 'merge') return undefined;
  if (judge !== undefined && kind !== 'notify') return undefined;
  return { pass, fns: pass.entries.map(({ fn }) => fn), pulse, wellAt: -1 };
}

/**
 * Calls a hot hook where code may not be generated: no more than one would write by hand, with the failures caught.
 * Whatever is out of the ordinary is handed over to the loop.
 */
export function callPlainly(plain: Plain, payload: unknown, call: Call | undefined): unknown {
  if (call !== undefined || (plain.wellAt !== plain.pulse.beats && !isWell(plain))) {
    return begin(plain.pass, payload, call);
  }
  const { kind } = plain.pass.target;
  if (kind === 'notify') return plainNotify(plain, payload);
  return kind === 'first' ? plainFirst(plain, payload) : plainWaterfall(plain, payload);
}

function isWell(plain: Plain): boolean {
  if (!plain.pass.entries.every((entry) => entry.simple)) return false;
  plain.wellAt = plain.pulse.beats;
  return true;
}

// One function for each kind: at this size, a look at the kind in every round already shows. An object may be a
// promise, or has to be frozen: the loop sees to it.

function plainNotify({ pass, fns, pulse, wellAt }: Plain, payload: unknown): unknown {
  for (let i = 0; i < fns.length; i++) {
    if (pulse.beats !== wellAt) return loop(pass, i, payload, undefined, undefined, none, undefined, undefined);
    const fn = fns[i] as Callable;
    let answer: unknown;
    try {
      answer = fn(payload);
    } catch (thrown) {
      pass.target.fail(pass.entries[i] as Entry, thrown, payload, undefined);
      continue;
    }
    if (answer !== undefined) return loop(pass, i, payload, undefined, undefined, answer, undefined, undefined);
  }
  return undefined;
}

function plainFirst({ pass, fns, pulse, wellAt }: Plain, payload: unknown): unknown {
  for (let i = 0; i < fns.length; i++) {
    if (pulse.beats !== wellAt) return loop(pass, i, payload, undefined, undefined, none, undefined, undefined);
    const fn = fns[i] as Callable;
    let answer: unknown;
    try {
      answer = fn(payload);
    } catch (thrown) {
      pass.target.fail(pass.entries[i] as Entry, thrown, payload, undefined);
      continue;
    }
    if (answer === undefined || answer === null) continue;
    if (typeof answer !== 'object' && typeof answer !== 'function') return answer;
    return loop(pass, i, payload, undefined, undefined, answer, undefined, undefined);
  }
  return null;
}

function plainWaterfall({ pass, fns, pulse, wellAt }: Plain, payload: unknown): unknown {
  let value = payload;
  for (let i = 0; i < fns.length; i++) {
    if (pulse.beats !== wellAt) return loop(pass, i, value, undefined, undefined, none, undefined, undefined);
    const fn = fns[i] as Callable;
    let answer: unknown;
    try {
      answer = fn(value);
    } catch (thrown) {
      pass.target.fail(pass.entries[i] as Entry, thrown, value, undefined);
      continue;
    }
    if (typeof answer === 'object' || typeof answer === 'function') {
      if (answer === null) continue;
      return loop(pass, i, value, undefined, undefined, answer, undefined, undefined);
    }
    if (answer !== undefined) value = answer;
  }
  return value;
}
