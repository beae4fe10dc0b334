import { setTimeout as sleep } from 'node:timers/promises';
import { fault } from './fault.ts';
import type { DatabaseHealth } from './open.ts';
import { prepareDatabase, reach } from './schema.ts';
import { serverAt } from './server.ts';
import type { Session } from './session.ts';

const journeys = 9;
/** How long to wait for a word that should come at once. */
const wordWithinMs = 3000;
/** "PBPR": of the advisory locks that are taken to see whether they stay. */
const lockClass = 0x50_42_50_52;

/** See `probePostgres`. */
export async function probeAt(url: string): Promise<DatabaseHealth> {
  const server = serverAt(url);
  try {
    await prepareDatabase(server);
    const [one, other] = [await reach(server), await reach(server)];
    try {
      return {
        shown: server.shown,
        ...(await factsOf(one)),
        ...(await timesOf(one)),
        keepsSessions: await keepsSessions(one, other),
        passesWord: await passesWord(one, other),
      };
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  } catch (error) {
    throw fault(error, server.shown, 'opened');
  }
}

/** The version, and how many sessions may still be opened: each of the limits there are may be the one that counts. */
async function factsOf(session: Session): Promise<Pick<DatabaseHealth, 'version' | 'sessionsLeft'>> {
  const { rows } = await session.ask(`
    SELECT current_setting('server_version') AS version, least(
      current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
        - coalesce(current_setting('reserved_connections', true)::bigint, 0)
        - (SELECT count(*) FROM pg_stat_activity WHERE usesysid IS NOT NULL AND datid IS NOT NULL),
      (SELECT datconnlimit - (SELECT count(*) FROM pg_stat_activity a WHERE a.datid = d.oid)
        FROM pg_database d WHERE datname = current_database() AND datconnlimit >= 0),
      (SELECT rolconnlimit - (SELECT count(*) FROM pg_stat_activity a WHERE a.usesysid = r.oid)
        FROM pg_roles r WHERE rolname = current_user AND rolconnlimit >= 0)
    ) AS "sessionsLeft"`);
  return rows[0] as Pick<DatabaseHealth, 'version' | 'sessionsLeft'>;
}

/** The clock of the server is believed to have said its time in the middle of the journey: the shortest one tells most. */
async function timesOf(session: Session): Promise<Pick<DatabaseHealth, 'roundTripMs' | 'clockAheadMs'>> {
  const seen: { readonly tookMs: number; readonly aheadMs: number }[] = [];
  for (let i = 0; i < journeys; i++) {
    const [start, begun] = [performance.now(), Date.now()];
    const { rows } = await session.make({
      name: 'clock',
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now',
    });
    const tookMs = performance.now() - start;
    seen.push({ tookMs, aheadMs: (rows[0] as { now: number }).now - (begun + tookMs / 2) });
  }
  seen.sort((a, b) => a.tookMs - b.tookMs);
  return { roundTripMs: seen[seen.length >> 1]?.tookMs ?? 0, clockAheadMs: seen[0]?.aheadMs ?? 0 };
}

/** Whether a lock of a session stays with it while another one is in a transaction: a pooler may have given that one its place. */
async function keepsSessions(one: Session, other: Session): Promise<boolean> {
  const key = Math.floor(Math.random() * 0x7fff_ffff);
  await one.ask(`SELECT pg_try_advisory_lock(${lockClass}, ${key})`);
  await other.ask('BEGIN');
  const { rows } = await one.ask(`SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'
    AND classid = ${lockClass} AND objid = ${key} AND pid = pg_backend_pid()) AS held`);
  await other.ask('ROLLBACK');
  await one.ask(`SELECT pg_advisory_unlock(${lockClass}, ${key})`);
  return (rows[0] as { held: boolean }).held;
}

/** Whether who listens hears what another one says. */
async function passesWord(one: Session, other: Session): Promise<boolean> {
  const channel = `patchbay_probe_${process.pid}`;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  one.listen(
    () => resolve(true),
    () => resolve(false),
  );
  await one.ask(`LISTEN ${channel}`);
  await other.ask(`NOTIFY ${channel}`);
  return Promise.race([promise, sleep(wordWithinMs, false, { ref: false })]);
}
