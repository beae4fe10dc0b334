import { existsSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { ledgerFile } from '../packages/host/src/config/state.ts';
import { type LedgerStore, openLedger, openPostgresLedger } from '../packages/host/src/ledger/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server of a suite that runs on PostgreSQL, for whoever may make databases. */
    postgres?: string;
  }
}

const variable = 'PATCHBAY_DATABASE_URL';
/** The databases that stand for files. */
const ofFiles = new Map<string, Record<string, string>>();
/** The numbers of the databases that this test has. */
const taken = new Set<number>();

/** The environment of a project whose ledger is its own until the test is over. Nothing where it is in a file. */
export async function newStore(): Promise<Record<string, string>> {
  const server = inject('postgres');
  if (server === undefined) return {};
  let n = 1;
  while (taken.has(n)) n += 1;
  taken.add(n);
  onTestFinished(() => void taken.delete(n));
  const name = `test_${process.env['VITEST_POOL_ID']}_${n}`;
  const url = new URL(`/${name}`, server).href;
  await asked(server, (client) => makeIfMissing(client, name));
  await asked(url, empty);
  return { [variable]: url };
}

/** What hosts and commands of this test need in their environment to have the same ledger. Nothing where it is in a file. */
export function storeEnv(): Record<string, string> {
  const url = process.env[variable];
  return url === undefined ? {} : { [variable]: url };
}

/** Opens the ledger of a file, or a database that stands for it. */
export async function openStore(file: string): Promise<LedgerStore> {
  const env = ofFiles.get(file) ?? (await newStore());
  ofFiles.set(file, env);
  return openIn(env, file);
}

/** Opens the ledger of the project of this test, beside its hosts. */
export function openBeside(project: string): Promise<LedgerStore> {
  return openIn(storeEnv(), ledgerFile(project));
}

/** All that is kept of the ledger of the project of this test, as the text that it is. */
export async function keptText(project: string): Promise<string> {
  const { [variable]: url } = storeEnv();
  if (url === undefined) {
    const files = [ledgerFile(project), `${ledgerFile(project)}-wal`].filter((file) => existsSync(file));
    return files.map((file) => readFileSync(file, 'latin1')).join('');
  }
  const tables = `SELECT query_to_xml(format('SELECT * FROM patchbay.%I', tablename), true, true, '')::text AS rows
    FROM pg_tables WHERE schemaname = 'patchbay'`;
  return asked(url, async (client) =>
    (await client.query<{ rows: string }>(tables)).rows.map(({ rows }) => rows).join(''),
  );
}

function openIn({ [variable]: url }: Record<string, string>, file: string): Promise<LedgerStore> {
  return url === undefined ? openLedger(file) : openPostgresLedger(url);
}

async function makeIfMissing(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
}

/** Takes everything out that a test before has left. Making a new database takes a hundred times as long. */
async function empty(client: Client): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  // The keys of other tables are not looked at then: everything goes.
  await client.query(`
    SET session_replication_role = replica;
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'patchbay' AND tablename NOT IN ('version', 'chain') LOOP
        EXECUTE 'DELETE FROM patchbay.' || name;
      END LOOP;
      FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'patchbay' LOOP
        EXECUTE 'ALTER SEQUENCE patchbay.' || name || ' RESTART';
      END LOOP;
      IF to_regclass('patchbay.chain') IS NOT NULL THEN
        UPDATE patchbay.chain SET anchor_seq = 0, anchor_hash = '', head_seq = 0, head_hash = '';
      END IF;
    END $$`);
}

async function asked<T>(url: string, act: (client: Client) => Promise<T>): Promise<T> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
