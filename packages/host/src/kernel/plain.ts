import type { Call } from './call.ts';
import type { Entry } from './entry.ts';
import { begin, loop, none, type Pass } from './loop.ts';

/** Whether `callPlainly` gains anything for a hook: others are called by the loop. */
export function isPlain({ target, watch }: Pass): boolean {
  const { kind, judge } = target;
  if (watch !== undefined) return false;
  return kind === 'notify' || (judge === undefined && (kind === 'first' || kind === 'waterfall'));
}

/**
 * Calls a hot hook where code may not be generated: no more than one would write by hand, with the failures caught.
 * Whatever is out of the ordinary is handed over to the loop.
 */
export function callPlainly(pass: Pass, payload: unknown, call: Call | undefined): unknown {
  if (call !== undefined) return begin(pass, payload, call);
  const { kind } = pass.target;
  if (kind === 'notify') return plainNotify(pass, payload);
  return kind === 'first' ? plainFirst(pass, payload) : plainWaterfall(pass, payload);
}

// One function for each kind: at this size, a look at the kind in every round already shows.

function plainNotify(pass: Pass, payload: unknown): unknown {
  const { entries, target } = pass;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    if (!entry.simple) return loop(pass, i, payload, undefined, undefined, none, undefined, undefined);
    let answer: unknown;
    try {
      const { fn } = entry;
      answer = fn(payload);
    } catch (thrown) {
      target.fail(entry, thrown, payload, undefined);
      continue;
    }
    if (answer !== undefined) return loop(pass, i, payload, undefined, undefined, answer, undefined, undefined);
  }
  return undefined;
}

function plainFirst(pass: Pass, payload: unknown): unknown {
  const { entries, target } = pass;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    if (!entry.simple) return loop(pass, i, payload, undefined, undefined, none, undefined, undefined);
    let answer: unknown;
    try {
      const { fn } = entry;
      answer = fn(payload);
    } catch (thrown) {
      target.fail(entry, thrown, payload, undefined);
      continue;
    }
    if (answer === undefined || answer === null) continue;
    if (isOdd(answer)) return loop(pass, i, payload, undefined, undefined, answer, undefined, undefined);
    return answer;
  }
  return null;
}

function plainWaterfall(pass: Pass, payload: unknown): unknown {
  const { entries, target } = pass;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    if (!entry.simple) return loop(pass, i, payload, undefined, undefined, none, undefined, undefined);
    let answer: unknown;
    try {
      const { fn } = entry;
      answer = fn(payload);
    } catch (thrown) {
      target.fail(entry, thrown, payload, undefined);
      continue;
    }
    if (answer === undefined || answer === null) continue;
    if (isOdd(answer)) return loop(pass, i, payload, undefined, undefined, answer, undefined, undefined);
    payload = answer;
  }
  return payload;
}

/** Whether an answer needs a closer look: it may be a promise, or has to be frozen. */
function isOdd(answer: unknown): boolean {
  return typeof answer === 'object' || typeof answer === 'function';
}
