import { performance } from 'node:perf_hooks';
import { median } from '../measure.ts';

/** Does what is measured once; gives how long it took if it knows better than whoever waits for it. */
export type Act = () => Promise<number | unknown>;

/** Milliseconds of every round, by case. */
export type Taken = Readonly<Record<string, readonly number[]>>;

/** Measures cases side by side, starting with another one each round, after a few rounds that do not count. */
export async function sideBySide(cases: Readonly<Record<string, Act>>, rounds: number, warmUp = 3): Promise<Taken> {
  const entries = Object.entries(cases).map(([name, act]) => ({ name, act, taken: [] as number[] }));
  for (let round = -warmUp; round < rounds; round++) {
    for (let k = 0; k < entries.length; k++) {
      const entry = entries[(k + round + warmUp) % entries.length];
      if (entry === undefined) continue;
      const start = performance.now();
      const told = await entry.act();
      const ms = typeof told === 'number' ? told : performance.now() - start;
      if (round >= 0) entry.taken.push(ms);
    }
  }
  return Object.fromEntries(entries.map(({ name, taken }) => [name, taken]));
}

/** The median of the ratios within each round. */
export function ratioOf(taken: Taken, of: string, to: string): number {
  return median((taken[of] ?? []).map((ms, i) => ms / (taken[to]?.[i] ?? Number.NaN)));
}

/** The median of a case. */
export function typical(taken: Taken, name: string): number {
  return median(taken[name] ?? []);
}

/** The value that so large a share of all is not above. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
