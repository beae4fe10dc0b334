import { defineConfig } from 'vitest/config';
import { reporters } from './test/reporters.ts';

const conditions = ['patchbay-source'];

/** The flows of the run engine once more, with their ledgers in PostgreSQL. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/{host,cli}/test/**/*.test.ts', 'test/postgres-flows/*.test.ts'],
    execArgv: ['--conditions=patchbay-source'],
    globalSetup: ['test/store-server.ts'],
    setupFiles: ['test/store-each.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 3,
    reporters,
  },
});
