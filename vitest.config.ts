import { defineConfig } from 'vitest/config';

const conditions = ['patchbay-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'plugins/*/test/**/*.test.ts',
      'examples/*/test/**/*.test.ts',
      'test/*.test.ts',
    ],
    execArgv: ['--conditions=patchbay-source'],
    testTimeout: 30_000,
  },
});
