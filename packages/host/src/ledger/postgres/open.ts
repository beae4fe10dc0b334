import type { LedgerStore } from '../store.ts';

/** How a ledger in a database is opened. */
export interface PostgresOptions {
  /**
   * The id of the host that writes, as it is now: nothing is written once others have fenced it, and `HOST_FENCED` is thrown.
   * Default: it is no host, and nobody fences it.
   */
  readonly host?: () => string | undefined;
  /** What the server calls its sessions. Default: `patchbay`. */
  readonly sessions?: string;
}

/**
 * Opens the ledger in the database that a `postgres://` URL names, in a schema `patchbay`, which is made if there is none. Several
 * processes, on several machines, may have it open. Throws `DATABASE_URL`, `DATABASE_UNREACHABLE`, `DATABASE_LOGIN`,
 * `DATABASE_UNSUITABLE`, `DATABASE_RIGHTS`, `LEDGER_NEWER` if a later Patchbay has written it, `LEDGER_CORRUPT`, `MIGRATION_UNFINISHED`
 * and `LEDGER_WRITE`. No message has the password in it.
 */
export async function openPostgresLedger(url: string, options: PostgresOptions = {}): Promise<LedgerStore> {
  // Only now: most projects have no server, and loading the driver takes time.
  const { openLedgerAt } = await import('./ledger.ts');
  return openLedgerAt(url, options);
}
