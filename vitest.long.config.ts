import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

const conditions = ['patchbay-source'];

/** Crash, load and fresh-clone runs: minutes, not seconds. One after the other: they want the machine for themselves. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/long/*.test.ts'],
    execArgv: ['--conditions=patchbay-source'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    reporters,
  },
});
