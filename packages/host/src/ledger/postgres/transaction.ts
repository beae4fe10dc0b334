import { setTimeout as sleep } from 'node:timers/promises';
import { PatchbayError } from 'patchbay-sdk';
import type { Place } from '../statements/place.ts';
import { madeLater, type Steps } from '../statements/steps.ts';
import type { Append } from '../storage.ts';
import { appending, type Found, type Head, lookUp } from './append.ts';
import { isStorageFault, said } from './fault.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Server } from './server.ts';
import { type Asked, askedOf, Session } from './session.ts';

/** A change that shares a transaction with others: an event, or steps. */
export type Act = { readonly append: Append } | Change;

interface Change {
  readonly change: () => Steps<unknown>;
  /** See `Writing`. */
  readonly alone: boolean;
  readonly about: Place | undefined;
}

/** How long to ask for the fate of a transaction: of a server that does not answer, and of one that does not know yet. */
const patienceMs = { unreachable: 5000, 'in progress': 15_000 };

const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED;';
const lock = 'SELECT FROM chain FOR UPDATE;';

/**
 * Begins a transaction. Whether the host was fenced is looked up when the lock is there: whoever fences it has that lock. The
 * number of the transaction tells afterwards what became of it.
 */
function beginning(isAlone: boolean, host: string | undefined): string {
  const fenced = host === undefined ? 'false' : `NOT EXISTS (${fenceOf(host)})`;
  const facts = `SELECT pg_current_xact_id()::text AS xid, ${fenced} AS fenced`;
  return isAlone ? `${begin} ${lock} ${facts}, head_seq, head_hash FROM chain` : `${begin} ${facts}`;
}

function fenceOf(host: string): string {
  if (!/^[\w-]+$/.test(host)) throw new TypeError(`"${host}" is not the id of a host`);
  return `SELECT FROM hosts WHERE id = '${host}' AND fenced_at IS NULL`;
}

/**
 * Makes changes, in order, in one transaction. Throws `HOST_FENCED` if the host that makes them was fenced, and what the driver
 * throws, after which nothing was changed.
 */
export async function transact(
  session: Session,
  server: Server,
  acts: readonly Act[],
  host: string | undefined,
): Promise<Outcome[]> {
  const isAlone = acts.some((act) => 'append' in act || act.alone);
  try {
    const [first] = nextOf(acts, 0);
    const [begun, found] = session.inOnePiece(() => [
      session.ask(beginning(isAlone, host)),
      // Sent along, to be looked up as soon as the lock is there: nobody else gets it while an answer is on its way.
      first.length === 0 ? undefined : lookUp(session, first),
    ]);
    found?.catch(() => {});
    const { rows } = await begun;
    const { xid, fenced, ...head } = rows[0] as Head & { xid: string; fenced: boolean };
    if (fenced) throw new PatchbayError('HOST_FENCED', `this host, ${host}, was taken for dead`);
    const { outcomes, last } = await outcomesOf(session, head, acts, found);
    await commit(session, server, xid, last);
    return outcomes;
  } catch (error) {
    if (!session.isLost) await session.ask('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** What becomes of each, if the `last` statement is made too: that goes along with the commit. */
async function outcomesOf(
  session: Session,
  begunAt: Head,
  acts: readonly Act[],
  first: Promise<Found> | undefined,
): Promise<{ readonly outcomes: Outcome[]; readonly last: Asked | undefined }> {
  const outcomes: Outcome[] = [];
  let head = begunAt;
  let last: Asked | undefined;
  while (outcomes.length < acts.length) {
    if (last !== undefined) await session.make(last);
    last = undefined;
    const [appends, changes] = nextOf(acts, outcomes.length);
    if (appends.length > 0) {
      const found = await (outcomes.length === 0 && first !== undefined ? first : lookUp(session, appends));
      const made = await appending(head, appends, found);
      outcomes.push(...made.outcomes);
      head = made.head;
      last = made.insert;
    } else outcomes.push(...(await together(changes.map((change) => outcomeOf(() => makeOn(session, change()))))));
  }
  return { outcomes, last };
}

/** What can be done at once from a place on: events, or changes about different deliveries, or one that is about more. */
function nextOf(acts: readonly Act[], start: number): [appends: Append[], changes: Change['change'][]] {
  const [appends, changes]: [Append[], Change['change'][]] = [[], []];
  const about = new Set<string>();
  for (const act of acts.slice(start)) {
    if ('append' in act) {
      if (changes.length > 0) break;
      appends.push(act.append);
    } else {
      const place = act.about === undefined ? undefined : `${act.about.seq}.${act.about.n}`;
      const isApart = place !== undefined && !about.has(place);
      if (appends.length > 0 || (changes.length > 0 && !isApart)) break;
      changes.push(act.change);
      if (place === undefined) break;
      about.add(place);
    }
  }
  return [appends, changes];
}

/** Waits for all, so that nothing is asked for any more. Throws what was thrown first: the others follow from it. */
async function together<T>(all: readonly Promise<T>[]): Promise<T[]> {
  const made = Promise.all(all);
  await Promise.allSettled([...all, made]);
  return made;
}

function makeOn<T>(session: Session, steps: Steps<T>): Promise<T> {
  return madeLater(steps, (statements) => together(statements.map((one) => session.make(askedOf(one)))));
}

/**
 * Makes the last statement, and commits; what that fails of, fails the commit. Where the connection is lost before the answer,
 * what became of the transaction is found out on another one.
 */
async function commit(session: Session, server: Server, xid: string, last: Asked | undefined): Promise<void> {
  try {
    const made = session.inOnePiece(() => [last && session.make(last), session.ask('COMMIT')]);
    await together(made.filter((one) => one !== undefined));
  } catch (error) {
    if (!isStorageFault(error)) throw error;
    const fate = await fateOf(server, xid);
    if (fate === 'committed') return;
    if (fate === 'aborted') throw error;
    const message = `the connection to ${server.shown} was lost while the ledger was written: ${said(error)}`;
    const hint = 'Whether it was written is not known. Appending an event of the same id again does no harm.';
    throw new PatchbayError('LEDGER_WRITE', message, { hint, cause: error });
  }
}

/** `committed` or `aborted`; null if that could not be found out. One in progress ends: the server throws out who stands still. */
async function fateOf(server: Server, xid: string): Promise<string | null> {
  for (const start = Date.now(); ; await sleep(200)) {
    const fate = await fateNow(server, xid).catch(() => 'unreachable');
    if (fate !== 'unreachable' && fate !== 'in progress') return fate;
    if (Date.now() - start > patienceMs[fate]) return null;
  }
}

async function fateNow(server: Server, xid: string): Promise<string | null> {
  const session = await Session.open(server);
  try {
    const { rows } = await session.ask('SELECT pg_xact_status($1::xid8) AS fate', [xid]);
    return (rows[0] as { fate: string | null }).fate;
  } finally {
    await session.end();
  }
}
