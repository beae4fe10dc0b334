import { PatchbayError } from 'patchbay-sdk';
import type { Server } from '../ledger/postgres/server.ts';
import { Session } from '../ledger/postgres/session.ts';
import type { HostFacts } from './peers.ts';

/** "PBHO": of the advisory locks of hosts. */
export const hostLocks = 0x50_42_48_4f;
/** An answer that takes longer is none: others wait for a sign of life. */
const withinMs = 3000;

/** How the hosts stand, at one moment, as the server sees it. */
export interface Sight {
  /** How long the server has been up. */
  readonly upMs: number;
  /** Those that were not fenced. */
  readonly hosts: readonly Seen[];
  /** What other hosts have. */
  readonly claims: readonly { readonly kind: string; readonly key: string }[];
}

/** One host, as the server sees it. */
export interface Seen {
  readonly id: string;
  readonly name: string;
  readonly serving: boolean;
  /** How long nothing was heard of it; null if it has no session at all. */
  readonly silentMs: number | null;
}

/** Joins to the hosts, called `h`, the session `a` that holds the lock of each, if one does. */
export const locksOfHosts = `
  LEFT JOIN pg_locks l ON l.locktype = 'advisory' AND l.classid = ${hostLocks} AND l.objid = h.lock::oid AND l.granted
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  LEFT JOIN pg_stat_activity a ON a.pid = l.pid`;

const look = `
  SELECT h.id, h.name, h.serving, extract(epoch FROM clock_timestamp() - a.state_change)::float8 * 1000 AS "silentMs",
    extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8 * 1000 AS "upMs"
  FROM hosts h ${locksOfHosts}
  WHERE h.fenced_at IS NULL`;

/** A host among others: a row that says what it is, and a session that holds its lock. A host that was fenced is a new one. */
export class Member {
  readonly id: string;
  readonly #server: Server;
  readonly #lock: number;
  #session: Session;

  private constructor(server: Server, session: Session, id: string, lock: number) {
    this.#server = server;
    this.#session = session;
    this.id = id;
    this.#lock = lock;
  }

  /** Joins under a new id; whoever it was before, by `before`, is no more. Throws what the driver throws. */
  static async join(server: Server, id: string, facts: HostFacts, before: string | undefined): Promise<Member> {
    if (before !== undefined) await fence(server, before, 'it has joined again');
    const session = await Session.open(server);
    try {
      const { name, version, labels, serving, api, atOnce } = facts;
      const { rows } = await session.make({
        // The lock is there before anybody can see that it should be.
        text: `WITH host AS (
            INSERT INTO hosts (id, name, version, labels, serving, api, at_once) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING lock
          ) SELECT lock, pg_try_advisory_lock(${hostLocks}, lock) AS locked FROM host`,
        values: [id, name, version, labels, serving, api, atOnce],
        withinMs,
      });
      const { lock, locked } = rows[0] as { lock: number; locked: boolean };
      if (!locked) throw new PatchbayError('INTERNAL', `somebody else holds the lock of host ${id}`);
      return new Member(server, session, id, lock);
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  /** Gives a sign of life, and sees how the others are; undefined if this one was fenced. Throws what the driver throws. */
  async beat(): Promise<Sight | undefined> {
    await this.#connected();
    const session = this.#session;
    const others = 'SELECT kind, key FROM claims WHERE host <> $1';
    const [seen, claims] = await Promise.all([
      session.make({ text: look, name: 'patchbay_look', withinMs }),
      session.make({ text: others, values: [this.id], name: 'patchbay_others', withinMs }),
    ]);
    const hosts = seen.rows as (Seen & { readonly upMs: number })[];
    const me = hosts.find(({ id }) => id === this.id);
    return me === undefined ? undefined : { upMs: me.upMs, hosts, claims: claims.rows as Sight['claims'] };
  }

  /** Changes what it says of itself. */
  async say({ name, labels, serving, api, atOnce }: HostFacts): Promise<void> {
    const text = 'UPDATE hosts SET name = $2, labels = $3, serving = $4, api = $5, at_once = $6 WHERE id = $1';
    await this.#session.make({ text, values: [this.id, name, labels, serving, api, atOnce], withinMs });
  }

  /** Goes, without a trace. Never throws. */
  async leave(): Promise<void> {
    await this.#session.make({ text: 'DELETE FROM hosts WHERE id = $1', values: [this.id], withinMs }).catch(() => {});
    await this.#session.end();
  }

  /** Goes as one that cannot say goodbye. Never throws. */
  async drop(): Promise<void> {
    await this.#session.end();
  }

  /** The server may have been restarted, or the connection cut: as long as nobody has fenced it, it is still there. */
  async #connected(): Promise<void> {
    if (!this.#session.isLost) return;
    const session = await Session.open(this.#server);
    try {
      await session.make({ text: endOld, values: [hostLocks, this.#lock], withinMs });
      await session.make({ text: `SELECT pg_advisory_lock(${hostLocks}, $1)`, values: [this.#lock], withinMs });
    } catch (error) {
      await session.end();
      throw error;
    }
    await this.#session.end();
    this.#session = session;
  }
}

/** A session that was cut off may hold the lock for as long as the server believes in it. */
const endOld = `
  SELECT pg_terminate_backend(pid) FROM pg_locks
  WHERE locktype = 'advisory' AND classid = $1 AND objid = $2::int::oid AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** What the sessions of the process of a host are called. */
export function sessionsOf(id: string): string {
  return `patchbay ${id.slice(0, id.lastIndexOf('-'))}`;
}

/**
 * Has a host write nothing more, under any circumstances, and others take what it had. Does nothing to one that was fenced already.
 * Throws what the driver throws.
 */
export async function fence(server: Server, id: string, reason: string, endSessions = false): Promise<void> {
  const session = await Session.open(server);
  try {
    if (endSessions) {
      // One that stands still in the middle of a transaction holds the lock that is needed here.
      const text = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';
      await session.make({ text, values: [sessionsOf(id)], withinMs });
    }
    // What it is writing right now is written before, or not at all: see `transact`.
    await session.ask('BEGIN; SELECT FROM chain FOR UPDATE');
    const text = 'UPDATE hosts SET fenced_at = clock_timestamp(), reason = $2 WHERE id = $1 AND fenced_at IS NULL';
    await session.ask(text, [id, reason]);
    await session.ask('DELETE FROM claims WHERE host = $1', [id]);
    await session.ask("DELETE FROM hosts WHERE fenced_at < clock_timestamp() - interval '1 day'");
    await session.ask('COMMIT');
  } finally {
    await session.end();
  }
}
