import type { Caller } from './compile.ts';
import type { Entry } from './entry.ts';
import { begin, loop, none, type Pass } from './loop.ts';

/**
 * The caller of a hot hook where code may not be generated: no more than one would write by hand, with the failures
 * caught. Whatever is out of the ordinary is handed over to the loop.
 */
export function plain(pass: Pass): Caller {
  const { kind, judge } = pass.target;
  if (kind === 'notify') return plainNotify(pass);
  if (kind === 'first' && judge === undefined) return plainFirst(pass);
  if (kind === 'waterfall' && judge === undefined) return plainWaterfall(pass);
  return (payload, call, suspended) => begin(pass, payload, call, suspended);
}

// One function for each kind: at this size, a look at the kind in every round already shows.

function plainNotify(pass: Pass): Caller {
  const { entries, target } = pass;
  return (payload, call, suspended) => {
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      if (!entry.simple) return loop(pass, i, payload, undefined, call, none, undefined, suspended);
      let answer: unknown;
      try {
        const { fn } = entry;
        answer = fn(payload);
      } catch (thrown) {
        target.fail(entry, thrown, payload, call);
        continue;
      }
      if (answer !== undefined) return loop(pass, i, payload, undefined, call, answer, undefined, suspended);
    }
    return undefined;
  };
}

function plainFirst(pass: Pass): Caller {
  const { entries, target } = pass;
  return (payload, call, suspended) => {
    if (call !== undefined) return begin(pass, payload, call, suspended);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      if (!entry.simple) return loop(pass, i, payload, undefined, call, none, undefined, suspended);
      let answer: unknown;
      try {
        const { fn } = entry;
        answer = fn(payload);
      } catch (thrown) {
        target.fail(entry, thrown, payload, call);
        continue;
      }
      if (answer === undefined || answer === null) continue;
      if (isOdd(answer)) return loop(pass, i, payload, undefined, call, answer, undefined, suspended);
      return answer;
    }
    return null;
  };
}

function plainWaterfall(pass: Pass): Caller {
  const { entries, target } = pass;
  return (payload, call, suspended) => {
    if (call !== undefined) return begin(pass, payload, call, suspended);
    let value = payload;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      if (!entry.simple) return loop(pass, i, value, undefined, call, none, undefined, suspended);
      let answer: unknown;
      try {
        const { fn } = entry;
        answer = fn(value);
      } catch (thrown) {
        target.fail(entry, thrown, value, call);
        continue;
      }
      if (answer === undefined || answer === null) continue;
      if (isOdd(answer)) return loop(pass, i, value, undefined, call, answer, undefined, suspended);
      value = answer;
    }
    return value;
  };
}

/** Whether an answer needs a closer look: it may be a promise, or has to be frozen. */
function isOdd(answer: unknown): boolean {
  return typeof answer === 'object' || typeof answer === 'function';
}
