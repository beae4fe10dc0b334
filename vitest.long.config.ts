import { defineConfig } from 'vitest/config';
import { ofDatabase } from './test/database.ts';
import { reporters, retry } from './test/reporters.ts';

const conditions = ['patchbay-source'];
const common = { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } };
const execArgv = ['--conditions=patchbay-source'];
const expect = { poll: { timeout: 60_000 } };

/** What works on a ledger as hosts do, and so must do the same wherever that is kept. */
const flows = [
  'packages/host/test/{assistant,day,foreman}/*.test.ts',
  'packages/host/test/runs/!(template)*.test.ts',
  'packages/host/test/{api/{resources,runs,stream},services/{api,approvals},reports/reporting}.test.ts',
  'packages/host/test/{inbound/{life,once},outbound/lanes,outbound/sending/{flow,host,sender}}.test.ts',
  'packages/cli/test/{run,approv}*.test.ts',
  'packages/cli/test/{day,deliveries-send,serve,webhooks}.test.ts',
  'test/postgres-flows/*.test.ts',
];

/** What takes minutes, not seconds. */
export default defineConfig({
  test: {
    reporters,
    projects: [
      {
        ...common,
        // Crash, load and fresh-clone runs, one after the other: they want the machine for themselves.
        test: {
          name: 'long',
          include: ['test/long/*.test.ts'],
          execArgv,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
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
          maxWorkers: 3,
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
