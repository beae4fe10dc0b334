import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { type ClientBase, Pool, type PoolClient } from 'pg';
import type { Queries } from '../read.ts';
import type { Tables } from '../rows.ts';
import type { Answer } from '../statements/steps.ts';
import { isStorageFault } from './fault.ts';
import type { Server } from './server.ts';
import { type Asked, answerOf, prepare } from './session.ts';

/** So many connections of one ledger read at once. */
const most = 4;

/** The connections on which a ledger is read, made as they are needed. */
export class Readers {
  readonly queries: Queries;
  readonly #pool: Pool;
  #ended: Promise<void> | undefined;

  constructor({ config }: Server) {
    const onConnect = (client: ClientBase) => {
      // Whoever asks hears of it.
      client.on('error', () => {});
      return prepare(client);
    };
    // One that is lost while nobody uses it is left by the pool; whoever asks next gets a new one.
    this.#pool = new Pool({ ...config, max: most, onConnect }).on('error', () => {});
    this.queries = {
      db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: this.#asPool() }) }),
      like: (pattern) => sql`e.type LIKE ${pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%')}`,
      said: (chat) => sql`e.chat = ${chat}`,
      apart: (column) => sql.ref(column),
    };
  }

  /** Makes a statement on any of the connections. */
  async make(asked: Asked): Promise<Answer> {
    const reader = await this.#take();
    try {
      return await reader.make(asked);
    } finally {
      reader.release();
    }
  }

  /** Waits for those who read. May be called twice. */
  async end(): Promise<void> {
    this.#ended ??= this.#pool.end();
    await this.#ended;
  }

  /** The pool as query builders want it: values go, and errors are looked at, as everywhere. */
  #asPool(): PostgresPool {
    const connect = async () => {
      const { make, release } = await this.#take();
      const query = async (text: string, values: readonly unknown[]) => {
        const { rows, count } = await make({ text, values });
        return { command: 'SELECT', rowCount: count, rows };
      };
      return { query, release };
    };
    return { connect, end: () => this.end(), options: {} } as unknown as PostgresPool;
  }

  async #take() {
    const client: PoolClient = await this.#pool.connect();
    let isLost = false;
    const make = async (asked: Asked): Promise<Answer> => {
      try {
        return await answerOf(client, asked);
      } catch (error) {
        isLost ||= isStorageFault(error);
        throw error;
      }
    };
    return { make, release: () => client.release(isLost) };
  }
}
