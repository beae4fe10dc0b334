import { defineConfig } from 'vitest/config';
import { ofDatabase } from './test/database.ts';
import { reporters, retry } from './test/reporters.ts';

const conditions = ['patchbay-source'];
const common = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } };
const execArgv = ['--conditions=patchbay-source'];
const expect = { poll: { timeout: 60_000 } };

/** What works on a ledger as hosts do, and so must do the same wherever that is kept. */
const flows = [
  'packages/host/test/{day,foreman}/*.test.ts',
  'packages/host/test/runs/!(template)*.test.ts',
  'packages/host/test/assistant/{chat,contract,restart,schedules}.test.ts',
  'packages/host/test/{api/runs,services/approvals,inbound/once,outbound/lanes,outbound/sending/flow}.test.ts',
  'packages/cli/test/{day,serve,{run,approv}*}.test.ts',
  'test/postgres-flows/*.test.ts',
];

/** What takes minutes, not seconds. */
export default defineConfig({
  test: {
    reporters,
    projects: [
      {
        ...common,
        test: {
          name: 'crash',
          include: ['test/long/{chaos,webhooks,*-crash}.test.ts'],
          execArgv,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect,
          retry,
        },
      },
      {
        ...common,
        // One after the other: they want the machine for themselves.
        test: {
          name: 'load',
          include: ['test/long/{fresh-clone,hosts,soak}.test.ts'],
          execArgv,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect,
          retry,
        },
      },
      {
        ...common,
        test: {
          name: 'database',
          include: ofDatabase,
          execArgv,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect,
          retry,
        },
      },
      {
        ...common,
        // Each test has a database of its own, of which its hosts and commands know by PATCHBAY_DATABASE_URL.
        test: {
          name: 'postgres',
          include: flows,
          execArgv,
          globalSetup: ['test/store-server.ts'],
          setupFiles: ['test/store-each.ts'],
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect,
          retry,
        },
      },
    ],
  },
});
