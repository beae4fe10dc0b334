import fc from 'fast-check';
import { type Dialect, dialects, type HandlerOptions } from 'patchbay-sdk';

/** A plugin of a random test: one or two functions for one hook. */
export interface Draft {
  readonly name: string;
  readonly dialect: Dialect;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly wraps: boolean;
  readonly options: Required<Pick<HandlerOptions, 'tryfirst' | 'trylast' | 'before' | 'after'>>;
}

/** One function of a plugin, where it stands in the order of registration. */
export interface Placed extends Part {
  readonly id: string;
  readonly plugin: string;
  readonly dialect: Dialect;
  readonly at: number;
}

export const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

const some = fc.subarray([...names, 'absent'], { maxLength: 2 });

/** Constraints as people write them: few, and sometimes contradictory. */
const options = fc.record({
  phase: fc.constantFrom(0, 1, 1, 1, 1, 2),
  before: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some }),
  after: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some }),
});

const part: fc.Arbitrary<Part> = fc
  .tuple(options, fc.boolean(), fc.integer({ min: 0, max: 3 }))
  .map(([{ phase, before, after }, _, wraps]) => ({
    wraps: wraps === 0,
    options: { tryfirst: phase === 0, trylast: phase === 2, before, after },
  }));

/** Plugins with distinct names, in a random order of registration. */
export const drafts: fc.Arbitrary<Draft[]> = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...names),
    dialect: fc.constantFrom<Dialect>('native', 'native', 'agentxchain', 'pace', 'pynchy'),
    parts: fc.array(part, { minLength: 1, maxLength: 2 }),
  }),
  { selector: ({ name }) => name, minLength: 1, maxLength: 8 },
);

export function place({ name, dialect, parts }: Draft, at: number): Placed[] {
  return parts.map((each, i) => ({ ...each, plugin: name, dialect, at: at + i / 10, id: `${name}#${i + 1}` }));
}

const phaseOf = ({ options: { tryfirst, trylast } }: Part) => (tryfirst ? 0 : trylast ? 2 : 1);

/** Whether somebody said that `one` comes before `two`. */
export function mustPrecede(one: Placed, two: Placed): boolean {
  if (one.wraps !== two.wraps) return false;
  return one.options.before.includes(two.plugin) || two.options.after.includes(one.plugin);
}

/** What should come of these functions: an order, or one of these errors. */
export function verdictOn(all: readonly Placed[]): Set<string> {
  const wrong = new Set<string>();
  for (const one of all) {
    for (const two of all) if (mustPrecede(one, two) && phaseOf(one) > phaseOf(two)) wrong.add('ORDER_IMPOSSIBLE');
    if (reaches(all, one, one)) wrong.add('ORDER_CYCLE');
  }
  return wrong;
}

function reaches(all: readonly Placed[], from: Placed, to: Placed, seen = new Set<Placed>()): boolean {
  return all.some((next) => {
    if (!mustPrecede(from, next)) return false;
    if (next === to) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(all, next, to, seen);
  });
}

/** The order without any constraint. */
export function plainOrder(all: readonly Placed[]): Placed[] {
  const rank = (dialect: Dialect) => Object.keys(dialects).indexOf(dialect);
  return all.toSorted((one, two) => {
    const phase = phaseOf(one) - phaseOf(two);
    if (phase !== 0) return phase;
    if (one.dialect !== two.dialect) return rank(one.dialect) - rank(two.dialect);
    const rule = dialects[one.dialect];
    if (rule === 'last-registered-first') return two.at - one.at;
    if (rule === 'alphabetical' && one.plugin !== two.plugin) return one.plugin < two.plugin ? -1 : 1;
    return one.at - two.at;
  });
}

/** What is wrong with an order, if anything. */
export function problemWith(order: readonly Placed[]): string | undefined {
  for (const [i, one] of order.entries()) {
    for (const two of order.slice(0, i)) {
      if (mustPrecede(one, two)) return `${one.id} must precede ${two.id}`;
      if (phaseOf(one) < phaseOf(two)) return `${one.id} is of an earlier phase than ${two.id}`;
    }
  }
  const free = order.every((one) => order.every((two) => !mustPrecede(one, two)));
  if (free && plainOrder(order).some((each, i) => each !== order[i])) return 'not the plain order';
  return undefined;
}

/** What a handler does when it is called. */
export const modes = ['answer', 'later', 'null', 'null later', 'undefined', 'throw', 'reject'] as const;
export type Mode = (typeof modes)[number];

/** A handler of a random call: what it does and whether it looks at its context. */
export interface Actor {
  readonly mode: Mode;
  readonly context: boolean;
}

export const actors: fc.Arbitrary<Actor[]> = fc.array(
  fc.record({ mode: fc.constantFrom(...modes), context: fc.boolean() }),
  { maxLength: 9 },
);

/** What a call of soft handlers comes to: who is called, who fails and the result. The last actor is called first. */
export function play(kind: string, cast: readonly Actor[], sync: boolean) {
  const called: string[] = [];
  const failed: string[] = [];
  const answered: number[] = [];
  for (let n = cast.length - 1; n >= 0; n--) {
    const { mode } = cast[n] as Actor;
    called.push(`p${n}`);
    const waits = mode === 'later' || mode === 'null later' || mode === 'reject';
    if (mode === 'throw' || mode === 'reject' || (sync && waits)) failed.push(`p${n}`);
    else if (mode === 'answer' || mode === 'later') answered.push(n);
    if (kind === 'first' && answered.length > 0) break;
  }
  return { called, failed, result: resultOf(kind, answered) };
}

function resultOf(kind: string, answered: readonly number[]): unknown {
  switch (kind) {
    case 'collect':
      return answered.map((n) => ({ n }));
    case 'first':
      return answered.length > 0 ? { n: answered[0] } : null;
    case 'waterfall':
      return { path: answered };
    case 'merge': {
      const [winner, ...losers] = answered.map((n) => `p${n}`);
      const owners = Object.fromEntries(answered.map((n) => [`k${n}`, `p${n}`]));
      if (winner === undefined) return { entries: {}, owners: {}, conflicts: [] };
      return {
        entries: { ...Object.fromEntries(answered.map((n) => [`k${n}`, n])), shared: answered[0] },
        owners: { ...owners, shared: winner },
        conflicts: losers.length > 0 ? [{ key: 'shared', winner, losers }] : [],
      };
    }
    default:
      return undefined;
  }
}
