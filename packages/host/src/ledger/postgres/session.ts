import { Client, type ClientBase, type QueryResult } from 'pg';
import type { Answer, Statement } from '../statements/steps.ts';
import { isStorageFault } from './fault.ts';
import type { Server } from './server.ts';
import { keepable } from './text.ts';

/** Everything of ours has a schema of its own in the database. */
export const schema = 'patchbay';

/**
 * What holds for every session. A commit is on the server's disk before it is told, whatever the server's owner prefers; who
 * stands still in the middle of a transaction, holding up all others, is thrown out of it. The server plans a statement that is
 * made again and again once, perhaps while the tables are nearly empty, and then to read them from end to end: not so here, where
 * there is an index for everything. That preference has a price that must not pass for a reason to compile.
 */
const settings = `
  SET search_path = ${schema};
  SET idle_in_transaction_session_timeout = 10000;
  SET enable_seqscan = off;
  SET jit = off;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

const farewellMs = 2000;

/** Does to a new connection what has to be done before it is used. */
export async function prepare(client: ClientBase): Promise<void> {
  await client.query(settings);
}

/** A value as the driver sends it: texts as they can be kept, and null for a number that is none, as in SQLite. */
function sendable(value: unknown): unknown {
  if (typeof value === 'string') return keepable(value);
  if (Array.isArray(value)) return value.map(sendable);
  return Number.isNaN(value) ? null : value;
}

/** A statement in the words of PostgreSQL, with the values that stand where it says `$1`, `$2` and so on. */
export interface Asked {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** By which the server knows it again, so that it need not be understood twice. */
  readonly name?: string;
  /** How long the answer may take. Default: as long as the server may take for any. */
  readonly withinMs?: number;
}

/** Makes a statement. Of several in one text, what the last one gives. */
export async function answerOf(client: ClientBase, { values = [], withinMs, ...asked }: Asked): Promise<Answer> {
  const patience = withinMs === undefined ? {} : { query_timeout: withinMs };
  const query = { ...asked, ...patience, values: values.map(sendable) };
  const results: QueryResult | QueryResult[] = await client.query(query);
  const last = Array.isArray(results) ? results.at(-1) : results;
  return { rows: last?.rows ?? [], count: last?.rowCount ?? 0 };
}

const known = new Map<string, { readonly text: string; readonly name: string }>();

/** A statement of `statements/`. There are few of them, and they are made again and again. */
export function askedOf({ text, values }: Statement): Asked {
  let made = known.get(text);
  if (made === undefined) {
    let n = 0;
    made = { text: text.replaceAll('?', () => `$${++n}`), name: `patchbay_${known.size}` };
    known.set(text, made);
  }
  return { ...made, values };
}

/** A connection that one part of the ledger has for itself. */
export class Session {
  readonly #client: Client;
  #lost = false;

  private constructor(client: Client) {
    this.#client = client;
    const lose = () => {
      this.#lost = true;
    };
    client.on('error', lose).on('end', lose);
  }

  /** Throws what the driver throws. */
  static async open({ config }: Server): Promise<Session> {
    const client = new Client(config);
    const session = new Session(client);
    try {
      await client.connect();
      await prepare(client);
      return session;
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  /** It can be used no more: the connection has gone, or what was asked for last was not answered in time. */
  get isLost(): boolean {
    return this.#lost;
  }

  ask(text: string, values: readonly unknown[] = []): Promise<Answer> {
    return this.make({ text, values });
  }

  async make(asked: Asked): Promise<Answer> {
    try {
      return await answerOf(this.#client, asked);
    } catch (error) {
      this.#lost ||= isStorageFault(error);
      throw error;
    }
  }

  /** What is asked for in one go goes to the server in one piece. */
  inOnePiece<T>(ask: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return ask();
    } finally {
      stream.uncork();
    }
  }

  /** Has `hear` called with what others notify, and `lost` when there is no more to be heard. */
  listen(hear: (said: string) => void, lost: () => void): void {
    this.#client.on('notification', ({ payload = '' }) => hear(payload));
    this.#client.once('end', lost);
  }

  /** Never throws, and does not wait long for a server that says nothing. */
  async end(): Promise<void> {
    const impatience = setTimeout(() => this.#client.connection.stream.destroy(), farewellMs);
    await this.#client.end().catch(() => {});
    clearTimeout(impatience);
  }
}
