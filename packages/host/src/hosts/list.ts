import { prepareDatabase } from '../ledger/postgres/schema.ts';
import { serverAt } from '../ledger/postgres/server.ts';
import { Session } from '../ledger/postgres/session.ts';
import { locksOfHosts } from './member.ts';

/** A host, as others see it. */
export interface ListedHost {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly serving: boolean;
  readonly api: string | null;
  /** How many runs it carries on at once at most; null if it does not serve. */
  readonly at_once: number | null;
  /** The runs it carries on now. */
  readonly runs: readonly string[];
  /** The plugins it delivers to. */
  readonly plugins: readonly string[];
  /** What it does for all hosts. */
  readonly duties: readonly string[];
  readonly joined_at: string;
  /** How long nothing was heard of it; null if it has no connection to the database. */
  readonly silent_ms: number | null;
  /** When others took it for dead; null if they did not. */
  readonly fenced_at: string | null;
  readonly reason: string | null;
}

const keys = (kind: string) => `ARRAY(SELECT key FROM claims WHERE host = h.id AND kind = '${kind}' ORDER BY key) `;
const time = (column: string) =>
  `to_char(h.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column}`;

const list = `
  SELECT h.id, h.name, h.version, h.labels, h.serving, h.api, h.at_once, ${keys('run')} AS runs,
    ${keys('plugin')} AS plugins, ${keys('duty')} AS duties, ${time('joined_at')}, ${time('fenced_at')}, h.reason,
    round(extract(epoch FROM clock_timestamp() - a.state_change) * 1000)::float8 AS silent_ms
  FROM hosts h ${locksOfHosts}
  ORDER BY h.fenced_at IS NOT NULL, h.joined_at`;

/** The hosts of a database, and those of the last day that others took for dead. Throws what `openPostgresLedger` does. */
export async function listHosts(url: string): Promise<readonly ListedHost[]> {
  const server = serverAt(url);
  await prepareDatabase(server);
  const session = await Session.open(server);
  try {
    return (await session.ask(list)).rows as ListedHost[];
  } finally {
    await session.end();
  }
}
