import { describe, expect, it } from 'vitest';
import { mostAttempts, nextAttempt } from '../../../src/outbound/sending/backoff.ts';

const now = Date.parse('2026-06-01T12:00:00Z');
const [second, hour] = [1000, 3_600_000];
/** How long is waited after a failed attempt. */
const wait = (given: Partial<Parameters<typeof nextAttempt>[0]>) => {
  const next = nextAttempt({ attempts: 1, askedAt: now, retryAfter: undefined, now, chance: 0.5, ...given });
  return next === undefined ? undefined : next - now;
};

describe('A request that did not arrive is sent again', () => {
  it('later and later, for most of a day in all', () => {
    const waits = Array.from({ length: mostAttempts - 1 }, (_, i) => wait({ attempts: i + 1, chance: 1 }) ?? 0);
    expect(waits.map((ms) => ms / second)).toEqual([5, 30, 120, 900, 3600, 10_800, 21_600, 43_200]);
  });

  it('at any moment between the step before and this one', () => {
    expect([0, 0.5, 1].map((chance) => wait({ attempts: 2, chance }))).toEqual([5000, 17_500, 30_000]);
    expect([0, 1].map((chance) => wait({ attempts: 1, chance }))).toEqual([1000, 5000]);
  });

  it('not more often than so', () => {
    expect(wait({ attempts: mostAttempts })).toBeUndefined();
  });

  it('not before the receiver wants, as far as that is within a day', () => {
    expect(wait({ retryAfter: '120' })).toBe(120 * second);
    expect(wait({ retryAfter: 'Mon, 01 Jun 2026 13:00:00 GMT' })).toBe(hour);
    expect(wait({ retryAfter: '99999999999999999999' })).toBe(24 * hour);
    expect(wait({ retryAfter: 'Fri, 01 Jun 2029 13:00:00 GMT' })).toBe(24 * hour);
  });

  it.each(['0', '-5', 'soon', '', 'Mon, 01 Jun 2020 13:00:00 GMT'])(
    'as usual if the receiver says "%s"',
    (retryAfter) => {
      expect(wait({ retryAfter })).toBe(3000);
    },
  );

  it('not when three days have passed since it was asked for', () => {
    expect(wait({ askedAt: now - 72 * hour })).toBeUndefined();
    expect(wait({ askedAt: now - 71 * hour })).toBe(3000);
  });
});
