import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

/** Crash, load and fresh-clone runs: minutes, not seconds. */
export default defineConfig({
  test: {
    include: ['test/long/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters,
  },
});
