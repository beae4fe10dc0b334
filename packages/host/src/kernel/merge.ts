import type { Merged } from 'patchbay-sdk';
import type { Gift } from './loop.ts';

/** One object from many: by key the plugin registered last wins, whatever the order of call. */
export function merged(gifts: readonly Gift[]): Merged<unknown> {
  const entries: Record<string, unknown> = Object.create(null);
  const owners: Record<string, string> = Object.create(null);
  const losers = new Map<string, string[]>();
  for (const { entry, pairs } of gifts.toSorted((a, b) => b.entry.seq - a.entry.seq)) {
    for (const [key, value] of pairs) {
      if (owners[key] === undefined) {
        owners[key] = entry.plugin;
        entries[key] = value;
      } else if (owners[key] !== entry.plugin && !losers.get(key)?.includes(entry.plugin)) {
        losers.set(key, [...(losers.get(key) ?? []), entry.plugin]);
      }
    }
  }
  const conflicts = [...losers].map(([key, names]) => ({ key, winner: owners[key] as string, losers: names }));
  return { entries, owners, conflicts };
}
