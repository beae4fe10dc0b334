import { openPostgresLedger } from '../../packages/host/src/ledger/index.ts';
import type { LedgerStore } from '../../packages/host/src/ledger/store.ts';
import { PostgresServer, postgresPrograms } from '../../test/postgres.ts';

/** Has something done with a ledger on a server of its own, on this machine. Undefined where PostgreSQL is not installed. */
export async function onPostgres<T>(act: (ledger: LedgerStore) => Promise<T>): Promise<T | undefined> {
  if (postgresPrograms() === undefined) return undefined;
  const server = await PostgresServer.start();
  try {
    const ledger = await openPostgresLedger(await server.database());
    try {
      return await act(ledger);
    } finally {
      await ledger.close();
    }
  } finally {
    await server.remove();
  }
}
