import { setTimeout as sleep } from 'node:timers/promises';
import { PatchbayError } from 'patchbay-sdk';
import { fault } from '../postgres/fault.ts';
import { prepareDatabase, reach, rehearseDatabase } from '../postgres/schema.ts';
import { type Server, serverAt } from '../postgres/server.ts';
import type { Session } from '../postgres/session.ts';
import { compareAll, copyAll, type Told } from './copy.ts';
import type { Source } from './source.ts';

/** For statements that may have to do with every row. */
const withinMs = 3_600_000;
/** How long the server may take to notice that a session has ended. */
const farewellMs = 5000;
/** The note in which a database says by which move its ledger came. */
const note = 'migration';
const emptied = ['deliveries', 'events', 'failing', 'endpoints', 'runs', 'artifacts', 'notes'];

/**
 * A database that a ledger is moved to. What was received is not released at first: its version is negative, and nobody can open
 * it. So there is never a moment at which both the file and the database can be used, whatever is interrupted.
 */
export class Target {
  readonly #server: Server;
  readonly #id: string;

  /** `id` is that of the move. Throws `DATABASE_URL`. */
  constructor(url: string, id: string) {
    this.#server = serverAt(url);
    this.#id = id;
  }

  /** The URL without the password. */
  get shown(): string {
    return this.#server.shown;
  }

  /** Finds out whether a ledger can be moved here, and changes nothing. Throws what `openPostgresLedger` does, and `MIGRATION_REFUSED`. */
  rehearse(): Promise<void> {
    return this.#named('opened', async () => {
      try {
        await rehearseDatabase(this.#server, (session) => this.#mustBeFree(session));
      } catch (error) {
        if (!isUnfinished(error) || !(await this.#isOurs())) throw error;
      }
    });
  }

  /** Takes all that the source has, and compares it; in one transaction, and without releasing it. */
  receive(source: Source, told: Told): Promise<void> {
    return this.#named('written', async () => {
      await this.discard();
      await prepareDatabase(this.#server);
      await this.#transact(async (session) => {
        await this.#mustBeFree(session);
        const copied = await copyAll(session, source, told);
        await compareAll(session, source, copied, this.shown);
        const value = JSON.stringify({ id: this.#id, at: new Date().toISOString() });
        await session.ask('INSERT INTO notes (key, value) VALUES ($1, $2)', [note, value]);
        await session.ask('UPDATE version SET version = -version');
      });
    });
  }

  /** Whether it holds a ledger that came by this move, released or not. */
  holds(): Promise<boolean> {
    return this.#named('read', () => this.#isOurs());
  }

  /** Lets everybody use what was received; once more changes nothing. */
  release(): Promise<void> {
    return this.#named('written', async () => {
      await this.#transact((session) => session.ask('UPDATE version SET version = -version WHERE version < 0'));
      const session = await reach(this.#server);
      // So that the server knows how much there is before somebody asks for it. It knows some time later anyway.
      await session.make({ text: 'ANALYZE events, deliveries, runs', withinMs }).catch(() => {});
      await session.end();
    });
  }

  /** Forgets what was received by this move and not released. */
  async discard(): Promise<void> {
    if (!(await this.#isOurs())) return;
    await this.#transact(async (session) => {
      const { rows } = await session.ask('SELECT version FROM version WHERE version < 0');
      if (rows.length === 0) return;
      for (const table of emptied) await session.make({ text: `DELETE FROM ${table}`, withinMs });
      await session.ask("UPDATE chain SET anchor_seq = 0, anchor_hash = '', head_seq = 0, head_hash = ''");
      await session.ask('UPDATE version SET version = -version');
    });
  }

  async #isOurs(): Promise<boolean> {
    const session = await reach(this.#server);
    try {
      const there = await session.ask("SELECT to_regclass('notes') IS NOT NULL AS there");
      if (!(there.rows[0] as { there: boolean }).there) return false;
      const { rows } = await session.ask('SELECT value FROM notes WHERE key = $1', [note]);
      const [row] = rows as { value: string }[];
      return row !== undefined && (JSON.parse(row.value) as { id?: unknown }).id === this.#id;
    } finally {
      await session.end();
    }
  }

  /** In a transaction during which nobody can open the ledger. */
  async #transact(act: (session: Session) => Promise<unknown>): Promise<void> {
    const session = await reach(this.#server);
    try {
      await session.ask('BEGIN');
      await session.ask('LOCK TABLE version IN ACCESS EXCLUSIVE MODE');
      await act(session);
      await session.ask('COMMIT');
    } finally {
      await session.end();
    }
  }

  async #mustBeFree(session: Session): Promise<void> {
    const looks = emptied.map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${table})`);
    const { rows } = await session.ask(looks.join(' UNION ALL '));
    const full = rows.map((row) => (row as { name: string }).name);
    if (full.length > 0) throw this.#refused(`it holds a ledger already (${full.join(', ')})`);
    for (const start = Date.now(); ; await sleep(100)) {
      const others = await othersOn(session);
      if (others === 0) return;
      if (Date.now() - start < farewellMs) continue;
      const hint = 'Stop the hosts, and whatever else of Patchbay is connected to it.';
      throw this.#refused(`it is in use: ${others} other sessions of Patchbay`, hint);
    }
  }

  #refused(what: string, hint?: string): PatchbayError {
    const message = `the ledger cannot be moved to ${this.shown}: ${what}`;
    return new PatchbayError('MIGRATION_REFUSED', message, hint === undefined ? {} : { hint });
  }

  async #named<T>(doing: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw fault(error, this.shown, doing);
    }
  }
}

function isUnfinished(error: unknown): boolean {
  return error instanceof PatchbayError && error.code === 'MIGRATION_UNFINISHED';
}

/** How many sessions of Patchbay there are besides this one. */
async function othersOn(session: Session): Promise<number> {
  // What was seen in this transaction before would be seen again.
  await session.ask('SELECT pg_stat_clear_snapshot()');
  const { rows } = await session.ask(`SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()
    AND application_name LIKE 'patchbay%' AND pid <> pg_backend_pid()`);
  return (rows[0] as { count: number }).count;
}
