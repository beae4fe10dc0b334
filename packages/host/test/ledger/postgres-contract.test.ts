import { afterAll, beforeAll } from 'vitest';
import { ledgerContract } from '../../../../test/contracts/ledger.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { openPostgresLedger } from '../../src/ledger/index.ts';
import { ledgerProperties } from './properties.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

ledgerContract('PostgreSQL', async () => {
  const url = await server.database();
  return { ledger: await openPostgresLedger(url), again: () => openPostgresLedger(url), remove: () => {} };
});

ledgerProperties(
  'PostgreSQL',
  async () => {
    const url = await server.database();
    return () => openPostgresLedger(url);
  },
  30,
);
