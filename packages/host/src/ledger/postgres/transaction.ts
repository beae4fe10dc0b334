import { setTimeout as sleep } from 'node:timers/promises';
import { PatchbayError } from 'patchbay-sdk';
import { madeLater, type Steps } from '../statements/steps.ts';
import type { Append } from '../storage.ts';
import { appendAll, type Head } from './append.ts';
import { isStorageFault, said } from './fault.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Server } from './server.ts';
import { numberedOf, Session } from './session.ts';

/** A change that shares a transaction with others: an event, or steps. */
export type Act = { readonly append: Append } | { readonly change: () => Steps<unknown>; readonly alone: boolean };

/** Longer than the server waits before it throws out who stands still in a transaction. */
const fateWithinMs = 15_000;

const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED;';
// The number of the transaction tells afterwards what became of it.
const begun = `${begin} SELECT pg_current_xact_id()::text AS xid`;
const begunAlone = `${begin} SELECT pg_current_xact_id()::text AS xid, head_seq, head_hash FROM chain FOR UPDATE`;

/** Makes changes, in order, in one transaction. Throws what the driver throws, after which nothing was changed. */
export async function transact(session: Session, server: Server, acts: readonly Act[]): Promise<Outcome[]> {
  const isAlone = acts.some((act) => 'append' in act || act.alone);
  try {
    const { rows } = await session.ask(isAlone ? begunAlone : begun);
    const { xid, ...head } = rows[0] as Head & { xid: string };
    const outcomes = await outcomesOf(session, head, acts);
    await commit(session, server, xid);
    return outcomes;
  } catch (error) {
    if (!session.isLost) await session.ask('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function outcomesOf(session: Session, begunAt: Head, acts: readonly Act[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let head = begunAt;
  for (let i = 0; i < acts.length; ) {
    const appends = appendsFrom(acts, i);
    const act = acts[i];
    if (appends.length > 0) {
      const appended = await appendAll(session, head, appends);
      outcomes.push(...appended.outcomes);
      head = appended.head;
    } else if (act !== undefined && 'change' in act)
      outcomes.push(await outcomeOf(() => makeOn(session, act.change())));
    i = outcomes.length;
  }
  return outcomes;
}

/** The events from a place on, up to a change that is none. */
function appendsFrom(acts: readonly Act[], start: number): Append[] {
  const appends: Append[] = [];
  for (let i = start; i < acts.length; i++) {
    const act = acts[i];
    if (act === undefined || !('append' in act)) break;
    appends.push(act.append);
  }
  return appends;
}

function makeOn<T>(session: Session, steps: Steps<T>): Promise<T> {
  return madeLater(steps, ({ text, values }) => session.ask(numberedOf(text), values));
}

/** Where the connection is lost before the answer, what became of the transaction is found out on another one. */
async function commit(session: Session, server: Server, xid: string): Promise<void> {
  try {
    await session.ask('COMMIT');
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

async function fateOf(server: Server, xid: string): Promise<string | null> {
  for (const end = Date.now() + fateWithinMs; Date.now() < end; await sleep(200)) {
    const fate = await fateNow(server, xid).catch(() => 'in progress');
    if (fate !== 'in progress') return fate;
  }
  return null;
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
