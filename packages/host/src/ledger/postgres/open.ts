import type { LedgerStore } from '../store.ts';

/**
 * Opens the ledger in the database that a `postgres://` URL names, in a schema `patchbay`, which is made if there is none. Several
 * processes, on several machines, may have it open. Throws `DATABASE_URL`, `DATABASE_UNREACHABLE`, `DATABASE_LOGIN`,
 * `DATABASE_UNSUITABLE`, `DATABASE_RIGHTS`, `LEDGER_NEWER` if a later Patchbay has written it, `LEDGER_CORRUPT`, and
 * `LEDGER_WRITE`. No message has the password in it.
 */
export async function openPostgresLedger(url: string): Promise<LedgerStore> {
  // Only now: most projects have no server, and loading the driver takes time.
  const { openLedgerAt } = await import('./ledger.ts');
  return openLedgerAt(url);
}
