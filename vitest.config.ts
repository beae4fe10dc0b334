import { configDefaults, defineConfig } from 'vitest/config';
import { ofDatabase } from './test/database.ts';
import { reporters, retry } from './test/reporters.ts';

const conditions = ['patchbay-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['{packages,plugins,examples}/*/test/**/*.test.ts', 'test/*.test.ts'],
    exclude: [...configDefaults.exclude, ...ofDatabase],
    execArgv: ['--conditions=patchbay-source'],
    // Bounds for what hangs: a busy machine is slow.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Most of them wait for processes and clocks, so more than one for each core.
    maxWorkers: 3,
    reporters,
    retry,
  },
});
