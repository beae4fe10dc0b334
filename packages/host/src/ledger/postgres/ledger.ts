import type { PatchbayError } from 'patchbay-sdk';
import { type Ends, verifyChain } from '../chain.ts';
import { Ledger } from '../ledger.ts';
import type { Queries } from '../read.ts';
import type { EventRow } from '../rows.ts';
import { madeLater, type Steps } from '../statements/steps.ts';
import type { Append, Storage, Writing } from '../storage.ts';
import type { Appended, Elsewhere, LedgerStore, Verified } from '../store.ts';
import { fault } from './fault.ts';
import { Listener } from './listener.ts';
import type { PostgresOptions } from './open.ts';
import { Readers } from './readers.ts';
import { prepareDatabase } from './schema.ts';
import { type Server, serverAt } from './server.ts';
import { askedOf, Session } from './session.ts';
import { Writer } from './writer.ts';

const eventsAtOnce = 500;

/** See `openPostgresLedger`. */
export async function openLedgerAt(url: string, options: PostgresOptions): Promise<LedgerStore> {
  const server = serverAt(url, options.sessions);
  try {
    await prepareDatabase(server);
    return new Ledger(new PostgresStorage(server, options));
  } catch (error) {
    throw fault(error, server.shown, 'opened');
  }
}

class PostgresStorage implements Storage {
  readonly queries: Queries;
  readonly #server: Server;
  readonly #readers: Readers;
  readonly #listener: Listener;
  readonly #writer: Writer;

  constructor(server: Server, { host = () => undefined }: PostgresOptions) {
    this.#server = server;
    this.#readers = new Readers(server);
    this.queries = this.#readers.queries;
    this.#listener = new Listener(server, this.#readers);
    this.#writer = new Writer(server, host, (acts) => this.#listener.tell(acts));
  }

  ask<T>(steps: Steps<T>): Promise<T> {
    return madeLater(steps, (statements) => Promise.all(statements.map((one) => this.#readers.make(askedOf(one)))));
  }

  append(append: Append, told: (appended: Appended) => void): Promise<Appended> {
    return this.#writer.append(append, told);
  }

  write<T>(change: () => Steps<T>, writing?: Writing<T>): Promise<T> {
    return this.#writer.write(change, writing);
  }

  async verify(): Promise<Verified> {
    const session = await Session.open(this.#server);
    try {
      await session.ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await session.ask('SELECT * FROM chain');
      return await verifyChain(rows[0] as Ends, allEvents(session));
    } finally {
      await session.end();
    }
  }

  watch(hear: (what?: Elsewhere) => void): () => void {
    return this.#listener.watch(hear);
  }

  fault(error: unknown, doing: string): PatchbayError {
    return fault(error, this.#server.shown, doing);
  }

  async flush(): Promise<void> {
    await this.#writer.flush();
    await this.#listener.flush();
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.end(), this.#listener.end(), this.#readers.end()]);
  }
}

async function* allEvents(session: Session): AsyncGenerator<EventRow> {
  let page = (await session.ask(`SELECT * FROM events ORDER BY seq LIMIT ${eventsAtOnce}`)).rows as EventRow[];
  while (page.length > 0) {
    yield* page;
    const next = `SELECT * FROM events WHERE seq > $1 ORDER BY seq LIMIT ${eventsAtOnce}`;
    page = (await session.ask(next, [page.at(-1)?.seq])).rows as EventRow[];
  }
}
