/** What needs a database server and half a minute each: `npm test` has its ten minutes, so these are in `npm run test:long`. */
export const ofDatabase = [
  'packages/host/test/artifacts/*.test.ts',
  'packages/host/test/ledger/{move,postgres-crash}.test.ts',
  'packages/cli/test/migrate.test.ts',
];
