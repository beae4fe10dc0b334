import { PatchbayError } from 'patchbay-sdk';
import { corruption, said, stateOf } from './fault.ts';
import { migrations } from './migrations.ts';
import type { Server } from './server.ts';
import { Session, schema } from './session.ts';

/** The oldest version that is still looked after by PostgreSQL, as it numbers itself. */
const oldestServer = 140_000;
/** "PBLG": who has this lock is the only one to migrate. */
const lock = 0x50_42_4c_47;
/** A step may have to write every row anew, and whoever opens the ledger meanwhile waits for that. */
const withinMs = 3_600_000;
const tables = [
  ...['events', 'chain', 'deliveries', 'failing', 'endpoints', 'runs', 'version'],
  ...['hosts', 'claims', 'artifacts', 'notes'],
];

interface Facts {
  readonly number: number;
  readonly name: string;
  readonly encoding: string;
  readonly standby: boolean;
  /** How many tables and the like the schema has; null if there is no schema. */
  readonly things: number | null;
  /** Whether it has a table that says a version. */
  readonly ours: boolean;
}

/**
 * Makes the database hold a ledger of the newest version, whoever else does so at the same moment. Where it cannot, nothing is
 * changed. Throws `DATABASE_UNREACHABLE`, `DATABASE_LOGIN`, `DATABASE_UNSUITABLE`, `DATABASE_RIGHTS`, `LEDGER_NEWER`,
 * `LEDGER_CORRUPT`, `MIGRATION_UNFINISHED`, and what the driver throws.
 */
export function prepareDatabase(server: Server): Promise<void> {
  return onServer(server, async (session) => {
    const facts = await factsOf(session);
    checkServer(facts, server.shown);
    const isCurrent = facts.ours && (await versionIn(session, server.shown)) === migrations.length;
    if (isCurrent) await checkRights(session, server.shown);
    else await migrating(session, server.shown, () => session.ask('COMMIT'));
  });
}

/** Finds out whether `prepareDatabase` can do its work, and lets `look` see what would come of it. Nothing is changed. Throws the same. */
export function rehearseDatabase(server: Server, look: (session: Session) => Promise<void>): Promise<void> {
  return onServer(server, async (session) => {
    checkServer(await factsOf(session), server.shown);
    await migrating(session, server.shown, async () => {
      await look(session);
      await session.ask('ROLLBACK');
    });
  });
}

async function onServer(server: Server, act: (session: Session) => Promise<void>): Promise<void> {
  const session = await reach(server);
  try {
    await act(session);
  } catch (error) {
    throw stateOf(error) === '42501' ? rightless(server.shown, said(error), error) : error;
  } finally {
    await session.end();
  }
}

/** A session on a server. Throws `DATABASE_UNREACHABLE` and `DATABASE_LOGIN`. */
export function reach(server: Server): Promise<Session> {
  return Session.open(server).catch((error: unknown) => {
    throw unreached(error, server.shown);
  });
}

/** Brings the database to the newest version in a transaction, which `end` ends. */
async function migrating(session: Session, shown: string, end: () => Promise<unknown>): Promise<void> {
  await session.make({ text: `BEGIN; SELECT pg_advisory_xact_lock(${lock})`, withinMs });
  try {
    // Asked now that nobody else can be migrating it.
    const { things, ours } = await factsOf(session);
    if (!ours && (things ?? 0) > 0) throw corruption(shown, `its schema ${schema} holds something else`);
    const version = ours ? await versionIn(session, shown) : 0;
    if (version > migrations.length) throw newer(shown, version);
    // Making one that is there would need the right to make others.
    if (things === null) await session.ask(`CREATE SCHEMA ${schema}`);
    if (!ours) await session.ask('CREATE TABLE version (version bigint NOT NULL); INSERT INTO version VALUES (0)');
    for (const text of migrations.slice(version)) await session.make({ text, withinMs });
    if (version < migrations.length) await session.ask('UPDATE version SET version = $1', [migrations.length]);
    await checkRights(session, shown);
    await end();
  } catch (error) {
    if (!session.isLost) await session.ask('ROLLBACK');
    throw error;
  }
}

async function factsOf(session: Session): Promise<Facts> {
  // From the catalogue, which may be read even where the schema may not be used.
  const { rows } = await session.ask(
    `SELECT current_setting('server_version_num')::bigint AS number, current_setting('server_version') AS name,
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
      (SELECT count(c.oid) FROM pg_namespace s LEFT JOIN pg_class c ON c.relnamespace = s.oid
        WHERE s.nspname = $1 GROUP BY s.oid) AS things,
      EXISTS (SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
        WHERE s.nspname = $1 AND c.relname = 'version' AND c.relkind = 'r') AS ours`,
    [schema],
  );
  return rows[0] as Facts;
}

/** Negative while what was moved here is not released: see `move/target.ts`. */
async function versionIn(session: Session, shown: string): Promise<number> {
  // Under its whole name: a schema that may not be used is passed over when a table is looked for.
  const { rows } = await session.ask(`SELECT version FROM ${schema}.version`);
  const version = (rows[0] as { version: number } | undefined)?.version ?? 0;
  if (version < 0) throw new PatchbayError('MIGRATION_UNFINISHED', `the move of a ledger to ${shown} is not finished`);
  return version;
}

function checkServer({ number, name, encoding, standby }: Facts, shown: string): void {
  const hint = 'Use PostgreSQL 14 or newer, not a standby, with a database in the encoding UTF8.';
  const unsuitable = (what: string) =>
    new PatchbayError('DATABASE_UNSUITABLE', `${shown} cannot hold a ledger: ${what}`, { hint });
  if (number < oldestServer) throw unsuitable(`the server is PostgreSQL ${name}`);
  if (encoding !== 'UTF8') throw unsuitable(`its encoding is ${encoding}`);
  if (standby) throw unsuitable('the server is a standby, which can only be read');
}

async function checkRights(session: Session, shown: string): Promise<void> {
  const { rows } = await session.ask(
    `SELECT p.name || ' on ' || t.name AS right FROM unnest($1::text[]) t (name),
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p (name)
      WHERE NOT has_table_privilege($2 || '.' || t.name, p.name)`,
    [tables, schema],
  );
  const missing = rows.map((row) => (row as { right: string }).right);
  if (missing.length > 0) throw rightless(shown, `it may not ${missing.join(', ')}`);
}

function rightless(shown: string, what: string, cause?: unknown): PatchbayError {
  const hint = `Let the user own the schema: CREATE SCHEMA ${schema} AUTHORIZATION the_user.`;
  const message = `the user has not the rights that a ledger in ${shown} needs: ${what}`;
  return new PatchbayError('DATABASE_RIGHTS', message, { hint, cause });
}

function newer(shown: string, version: number): PatchbayError {
  const known = `this Patchbay knows versions up to ${migrations.length}`;
  return new PatchbayError('LEDGER_NEWER', `the ledger in ${shown} has version ${version}, ${known}`);
}

/** Why there is no connection. Who was let in, but not into this database, has the wrong URL rather than the wrong rights. */
function unreached(error: unknown, shown: string): PatchbayError {
  const [state, why] = [stateOf(error) ?? '', said(error)];
  // The driver checks what the server asks for itself.
  const isLogin = state.startsWith('28') || why.startsWith('SASL') || why.includes('client password must be a string');
  if (isLogin) {
    const hint = 'Check the user and the password in the URL, and pg_hba.conf on the server.';
    return new PatchbayError('DATABASE_LOGIN', `${shown} lets nobody in: ${why}`, { hint, cause: error });
  }
  const hint = 'Check the host, the port and the name of the database, and whether the server runs.';
  const message = `${shown} cannot be reached: ${why}`;
  return new PatchbayError('DATABASE_UNREACHABLE', message, { hint, cause: error });
}
