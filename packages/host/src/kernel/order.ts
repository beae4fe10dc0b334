import { dialects, PatchbayError } from 'patchbay-sdk';
import type { Entry } from './entry.ts';

const dialectRank = Object.fromEntries(Object.keys(dialects).map((name, rank) => [name, rank]));

/** The order of two handlers without constraints: phase, dialect, then the dialect's rule. Never 0 for two entries. */
function compare(a: Entry, b: Entry): number {
  if (a.phase !== b.phase) return a.phase - b.phase;
  if (a.owner.dialect !== b.owner.dialect) {
    return (dialectRank[a.owner.dialect] ?? 0) - (dialectRank[b.owner.dialect] ?? 0);
  }
  switch (dialects[a.owner.dialect]) {
    case 'last-registered-first':
      return b.seq - a.seq;
    case 'first-registered-first':
      return a.seq - b.seq;
    case 'alphabetical':
      return a.plugin === b.plugin ? a.seq - b.seq : a.plugin < b.plugin ? -1 : 1;
  }
}

class Index {
  readonly #sets = new Map<string, Set<Entry>>();

  get(name: string): Iterable<Entry> {
    return this.#sets.get(name) ?? [];
  }
  add(name: string, entry: Entry): void {
    const set = this.#sets.get(name);
    if (set === undefined) this.#sets.set(name, new Set([entry]));
    else set.add(entry);
  }
  delete(name: string, entry: Entry): void {
    const set = this.#sets.get(name);
    set?.delete(entry);
    if (set?.size === 0) this.#sets.delete(name);
  }
}

/**
 * The handlers of one hook (or its wrappers) and the order among them. Adding one costs what its own constraints
 * reach, never a sort; the sort is left to whoever wants the order.
 */
export class Order {
  readonly hook: string;
  readonly #entries = new Set<Entry>();
  readonly #of = new Index();
  readonly #wantToPrecede = new Index();
  readonly #wantToFollow = new Index();
  #constraints = 0;

  constructor(hook: string) {
    this.hook = hook;
  }

  get size(): number {
    return this.#entries.size;
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries[Symbol.iterator]();
  }

  add(entry: Entry): void {
    this.#entries.add(entry);
    this.#of.add(entry.plugin, entry);
    for (const name of entry.before) this.#wantToPrecede.add(name, entry);
    for (const name of entry.after) this.#wantToFollow.add(name, entry);
    this.#constraints += entry.before.length + entry.after.length;
  }

  delete(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    this.#of.delete(entry.plugin, entry);
    for (const name of entry.before) this.#wantToPrecede.delete(name, entry);
    for (const name of entry.after) this.#wantToFollow.delete(name, entry);
    this.#constraints -= entry.before.length + entry.after.length;
  }

  /** Those that constraints, its own and others', put before `entry`. */
  #earlier(entry: Entry): Entry[] {
    const own = entry.after.flatMap((name) => [...this.#of.get(name)]);
    return [...own, ...this.#wantToPrecede.get(entry.plugin)];
  }

  #later(entry: Entry): Entry[] {
    const own = entry.before.flatMap((name) => [...this.#of.get(name)]);
    return [...own, ...this.#wantToFollow.get(entry.plugin)];
  }

  /**
   * Refuses an entry, already added, whose constraints cannot be met. It is enough to look at ways through the
   * newcomer: the others were free of contradiction before.
   */
  check(newcomer: Entry): void {
    if (this.#constraints === 0) return;
    for (const other of this.#earlier(newcomer)) this.#checkPhases(other, newcomer, newcomer);
    for (const other of this.#later(newcomer)) this.#checkPhases(newcomer, other, newcomer);
    const circle = this.#circle(newcomer);
    if (circle === undefined) return;
    const names = circle.map((entry) => `"${entry.plugin}"`).join(' before ');
    throw new PatchbayError('ORDER_CYCLE', `the order of hook "${this.hook}" is a circle: ${names}`, {
      hook: this.hook,
      plugin: newcomer.plugin,
    });
  }

  #checkPhases(first: Entry, second: Entry, newcomer: Entry): void {
    if (first.phase <= second.phase) return;
    throw new PatchbayError(
      'ORDER_IMPOSSIBLE',
      `in hook "${this.hook}" plugin "${first.plugin}" is to come before "${second.plugin}", but is ${phaseNames[first.phase]} while the other is ${phaseNames[second.phase]}`,
      { hook: this.hook, plugin: newcomer.plugin },
    );
  }

  /** From an entry, through what must come before it, back to itself. */
  #circle(start: Entry): Entry[] | undefined {
    const next = new Map<Entry, Entry>();
    const stack = [start];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      for (const other of this.#earlier(at)) {
        if (other === start) {
          const circle = [start, at];
          for (let step = at; step !== start; ) {
            step = next.get(step) ?? start;
            circle.push(step);
          }
          return circle;
        }
        if (next.has(other)) continue;
        next.set(other, at);
        stack.push(other);
      }
    }
    return undefined;
  }

  /**
   * The order of call: a linear extension of all constraints in which each handler stands as near as can be to where
   * it would stand without them; those it must follow are pulled up in front of it.
   */
  sorted(): Entry[] {
    const sorted = [...this.#entries].sort(compare);
    if (this.#constraints === 0) return sorted;
    const placed = new Set<Entry>();
    // Not recursive: a chain of constraints may be as long as there are plugins.
    const stack: Entry[] = [];
    for (const first of sorted) {
      stack.push(first);
      for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
        const missing = this.#earlier(top).filter((other) => !placed.has(other));
        if (missing.length === 0) {
          placed.add(top);
          stack.pop();
        } else {
          stack.push(...missing.sort((a, b) => compare(b, a)));
        }
      }
    }
    return [...placed];
  }

  /** Why each handler stands where it stands, for people. */
  explain(): { plugin: string; handler: string; because: string }[] {
    return this.sorted().map((entry) => {
      const names = (entries: Entry[]) => [...new Set(entries.map((other) => other.plugin))].join(', ');
      const reasons: string[] = [];
      if (entry.wraps) reasons.push('wrapper');
      if (entry.phase !== 1) reasons.push(phaseNames[entry.phase]);
      const earlier = names(this.#earlier(entry));
      if (earlier !== '') reasons.push(`after ${earlier}`);
      const later = names(this.#later(entry));
      if (later !== '') reasons.push(`before ${later}`);
      reasons.push(`${entry.owner.dialect}: ${dialects[entry.owner.dialect].replaceAll('-', ' ')}`);
      return { plugin: entry.plugin, handler: entry.id, because: reasons.join('; ') };
    });
  }
}

const phaseNames = ['tryfirst', 'in the normal phase', 'trylast'] as const;
