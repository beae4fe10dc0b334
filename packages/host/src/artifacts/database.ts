import { PatchbayError } from 'patchbay-sdk';
import { fault } from '../ledger/postgres/fault.ts';
import type { PostgresOptions } from '../ledger/postgres/open.ts';
import { Readers } from '../ledger/postgres/readers.ts';
import { serverAt } from '../ledger/postgres/server.ts';
import type { Asked } from '../ledger/postgres/session.ts';
import { type ArtifactHeads, type ArtifactStore, sha256Of, verified } from './artifacts.ts';

/** An object may be large, and the way to the server long. */
const withinMs = 300_000;
/** The name of the row that holds the head of a run; objects are never called so. */
const headName = 'head';
/** How long objects of a run stay after it has ended. */
const keptDays = 90;

/**
 * Not flushed by itself: what a host tells of an object is committed later, and with that all that was committed before it is
 * durable.
 */
const lazily = `WITH lazily AS (SELECT set_config('synchronous_commit', 'off', true) AS how)`;
const replacing = `
  ON CONFLICT (run_id, name) DO UPDATE SET (sha256, content, stored_at) = (excluded.sha256, excluded.content, DEFAULT)
  WHERE artifacts.sha256 = $6::text`;
const put = `${lazily} INSERT INTO artifacts (run_id, name, sha256, content) SELECT $1::text, $2::text, $3::text, $4::bytea FROM lazily`;
/**
 * Whoever fences this host takes its runs from it: before this, and nothing is written, or after it. What is no host cannot be
 * fenced.
 */
const claimed = `
  WHERE $5::text IS NULL OR EXISTS (SELECT FROM claims WHERE kind = 'run' AND key = $1 AND host = $5 FOR SHARE)`;
const expired = `
  DELETE FROM artifacts a
  WHERE a.stored_at < clock_timestamp() - make_interval(days => $1)
    AND NOT EXISTS (
      SELECT FROM runs r
      WHERE r.run_id = a.run_id AND (r.status IN ('pending', 'active', 'waiting') OR r.updated_at >= $2)
    )
  RETURNING a.run_id`;

/** Objects of runs, and their heads, in the database of the ledger. */
export class DatabaseArtifacts implements ArtifactStore, ArtifactHeads {
  readonly #readers: Readers;
  readonly #shown: string;
  readonly #host: () => string | undefined;
  readonly #mostBytes: number;
  #closing: Promise<void> | undefined;

  /** `mostBytes`: a larger object is refused. Throws DATABASE_URL. */
  constructor(url: string, mostBytes: number, { host = () => undefined, sessions }: PostgresOptions = {}) {
    const server = serverAt(url, sessions);
    this.#readers = new Readers(server);
    this.#shown = server.shown;
    this.#host = host;
    this.#mostBytes = mostBytes;
  }

  async put(run_id: string, name: string, content: Uint8Array): Promise<void> {
    if (content.length > this.#mostBytes) throw tooLarge(run_id, name, content.length, this.#mostBytes);
    const values = [run_id, name, sha256Of(content), content];
    await this.#ask({ text: `${put} ON CONFLICT DO NOTHING`, values, withinMs });
  }

  async get(run_id: string, name: string): Promise<Uint8Array | undefined> {
    const text = 'SELECT sha256, content FROM artifacts WHERE run_id = $1 AND name = $2';
    const { rows } = await this.#ask({ text, values: [run_id, name], withinMs });
    const row = rows[0] as { sha256: string; content: Uint8Array } | undefined;
    return row === undefined ? undefined : verified(run_id, name, row.content, row.sha256);
  }

  async remove(run_id: string, isGone: (name: string) => boolean): Promise<void> {
    const listed = 'SELECT name FROM artifacts WHERE run_id = $1 AND name <> $2';
    const { rows } = await this.#ask({ text: listed, values: [run_id, headName] });
    const gone = (rows as { name: string }[]).map(({ name }) => name).filter(isGone);
    if (gone.length === 0) return;
    const text = `${lazily} DELETE FROM artifacts USING lazily WHERE run_id = $1 AND name = ANY ($2)`;
    await this.#ask({ text, values: [run_id, gone] });
  }

  async read(run_id: string): Promise<string | undefined> {
    const head = await this.get(run_id, headName);
    return head === undefined ? undefined : Buffer.from(head).toString();
  }

  async write(run_id: string, head: string, before: string | undefined): Promise<void> {
    const host = this.#host() ?? null;
    const content = Buffer.from(head);
    const values = [run_id, headName, sha256Of(content), content, host, before === undefined ? null : sha256Of(before)];
    const { count } = await this.#ask({ text: `${put} ${claimed} ${replacing}`, values });
    if (count > 0) return;
    if ((await this.read(run_id)) === before) {
      throw new PatchbayError('HOST_FENCED', `run ${run_id} is not this host's any more, ${host}`, { run: run_id });
    }
    throw new PatchbayError('RUN_MOVED', `another host has gone on with the work of run ${run_id}`, { run: run_id });
  }

  /** Removes what is left of runs that ended long ago; gives those runs. */
  async expire(now = new Date()): Promise<readonly string[]> {
    const before = new Date(now.getTime() - keptDays * 86_400_000).toISOString();
    const { rows } = await this.#ask({ text: expired, values: [keptDays, before] });
    return [...new Set((rows as { run_id: string }[]).map(({ run_id }) => run_id))];
  }

  /** To close it again does nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#readers.end();
    return this.#closing;
  }

  async #ask(asked: Asked) {
    try {
      return await this.#readers.make(asked);
    } catch (error) {
      throw fault(error, this.#shown, 'used');
    }
  }
}

function tooLarge(run: string, name: string, bytes: number, most: number): PatchbayError {
  const mb = (size: number) => `${Math.ceil(size / 1024 / 1024)} MB`;
  const message = `the artifact "${name}" of run ${run} has ${mb(bytes)}, and the database takes at most ${mb(most)}`;
  return new PatchbayError('ARTIFACT_LARGE', message, { run });
}
