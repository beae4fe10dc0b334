import { vi } from 'vitest';

/** Waits until the expectation holds. The bound is for what hangs, not for what is slow on a busy machine. */
export function eventually<T>(holds: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(holds, { timeout: 60_000, interval: 20 });
}
