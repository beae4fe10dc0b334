import { expect } from 'vitest';
import type { Call } from './receiver.ts';
import type { Looked } from './scene.ts';

/** What a lane takes from the ledger at a time, and so the most that a crash makes it repeat. */
const batch = 16;

/**
 * Expects that a plugin got all it is owed: each delivery at least once, for the first time in the order of the events,
 * and again only in a later life of the host, at its beginning. Gives how many were repeated.
 */
export function expectArrived(plugin: string, calls: readonly Call[], { deliveries }: Looked): number {
  const owed = deliveries.filter((delivery) => delivery.plugin === plugin);
  const firsts = new Set(calls.map(({ key }) => key));
  expect([...firsts], `what ${plugin} got, without repeats`).toEqual(owed.map(({ key }) => key));
  const place = new Map(owed.map(({ key }, i) => [key, i]));
  const seen = new Set<string>();
  for (const [life, inLife] of Map.groupBy(calls, (call) => call.life)) {
    const places = inLife.map(({ key }) => place.get(key) ?? -1);
    const sorted = [...new Set(places)].toSorted((a, b) => a - b);
    expect(places, `what ${plugin} got in life ${life}`).toEqual(sorted);
    const again = inLife.filter(({ key }) => seen.has(key));
    expect(again.length, `what ${plugin} got again in life ${life}`).toBeLessThanOrEqual(batch);
    for (const { key } of inLife) seen.add(key);
  }
  return calls.length - firsts.size;
}

/** Expects that the ledger holds these events, each once, and that the plugins were installed; all in one chain. */
export function expectKept(ids: Iterable<string>, looked: Looked, plugins: readonly string[]): void {
  const { events, verified } = looked;
  const told = events.filter(({ id }) => id.startsWith('event-')).map(({ id }) => id);
  expect(told.toSorted()).toEqual([...ids].toSorted());
  const own = events.filter(({ id }) => !id.startsWith('event-')).map(({ type }) => type);
  expect(own).toEqual(plugins.map(() => 'plugin:installed'));
  expect(verified).toMatchObject({ ok: true, events: events.length });
}
