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

/** How well a database can be used from here. */
export interface DatabaseHealth {
  /** The URL without the password. */
  readonly shown: string;
  /** Of the server. */
  readonly version: string;
  /** How long a statement takes, there and back: the median of several. */
  readonly roundTripMs: number;
  /** How far the clock of the server is ahead of the one here; negative if it is behind. */
  readonly clockAheadMs: number;
  /** Whether what belongs to a session, such as a lock, stays with it. */
  readonly keepsSessions: boolean;
  /** Whether what one session says is heard by another one that listens. */
  readonly passesWord: boolean;
  /** How many more sessions the server lets this user open. */
  readonly sessionsLeft: number;
}

/** Tries how well a database can be used. Throws what `openPostgresLedger` throws. */
export async function probePostgres(url: string): Promise<DatabaseHealth> {
  const { probeAt } = await import('./probe.ts');
  return probeAt(url);
}
