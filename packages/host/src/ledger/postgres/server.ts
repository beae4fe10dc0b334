import { PatchbayError } from 'patchbay-sdk';
import { Client, type ClientConfig, type CustomTypesConfig, types } from 'pg';
import { asGiven } from './text.ts';

/** How to reach a database, and what it may be called in a message. */
export interface Server {
  readonly config: ClientConfig;
  /** The URL without the password, and without what else it says after the name of the database. */
  readonly shown: string;
}

/** How long a connection, and then an answer, may take before the server counts as lost. */
const connectWithinMs = 10_000;
const answerWithinMs = 30_000;

const [int8, text] = [20, 25];
/** Places and counts are far below the numbers that JavaScript cannot count to. */
const parsers: Readonly<Record<number, (value: string) => unknown>> = { [int8]: Number, [text]: asGiven };
const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? types.getTypeParser(oid, format as 'text'),
} as CustomTypesConfig;

/**
 * The server that a URL names; it knows our sessions by `name`. Throws `DATABASE_URL`, which does not repeat the URL: there may be a
 * password in it.
 */
export function serverAt(url: string, name = 'patchbay'): Server {
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw malformed('it does not begin with postgres://');
  const config: ClientConfig = {
    connectionString: url,
    application_name: name,
    types: typeParsers,
    connectionTimeoutMillis: connectWithinMs,
    query_timeout: answerWithinMs,
    keepAlive: true,
    pipeline: true,
  };
  let client: Client;
  try {
    client = new Client(config);
  } catch {
    // Not as the cause either: what throws here carries the URL with it.
    throw malformed('it cannot be understood');
  }
  const { user, host, port, database } = client;
  const who = user === undefined ? '' : `${user}@`;
  return { config, shown: `postgres://${who}${host}:${port}/${database ?? ''}` };
}

function malformed(what: string): PatchbayError {
  const hint = 'Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ in the password.';
  return new PatchbayError('DATABASE_URL', `the URL of the database is not one: ${what}`, { hint });
}
