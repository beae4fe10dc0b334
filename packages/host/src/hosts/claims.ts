import type { Readers } from '../ledger/postgres/readers.ts';
import type { Claim, ClaimKind } from './peers.ts';

const withinMs = 3000;

const take = `
  INSERT INTO claims (kind, key, host)
  SELECT $1, $2, id FROM hosts WHERE id = $3 AND fenced_at IS NULL FOR SHARE
  ON CONFLICT (kind, key) DO UPDATE SET since = claims.since WHERE claims.host = excluded.host`;
const release = 'DELETE FROM claims WHERE kind = $1 AND key = $2 AND host = $3';

/** What one host has to itself, under one of its ids. */
export class Claims {
  readonly #connections: Readers;
  readonly #host: string;
  readonly #lost = new AbortController();
  /** What could not be given back yet. */
  readonly #owed = new Map<string, readonly [kind: ClaimKind, key: string]>();

  constructor(connections: Readers, host: string) {
    this.#connections = connections;
    this.#host = host;
  }

  /** Undefined if another host has it, or nobody can tell. Never throws. */
  async take(kind: ClaimKind, key: string): Promise<Claim | undefined> {
    if (this.#lost.signal.aborted) return undefined;
    const isTaken = await this.#ask(take, kind, key).catch(() => false);
    if (!isTaken || this.#lost.signal.aborted) return undefined;
    this.#owed.delete(`${kind} ${key}`);
    return { lost: this.#lost.signal, release: () => this.#release(kind, key) };
  }

  /** Gives back what could not be before. Never throws. */
  async settle(): Promise<void> {
    await Promise.all([...this.#owed.values()].map(([kind, key]) => this.#release(kind, key)));
  }

  /** All that was taken is lost: whoever has it hears so. */
  lose(): void {
    this.#lost.abort();
  }

  async #release(kind: ClaimKind, key: string): Promise<void> {
    if (this.#lost.signal.aborted) return;
    const name = `${kind} ${key}`;
    this.#owed.set(name, [kind, key]);
    await this.#ask(release, kind, key).then(
      () => this.#owed.delete(name),
      () => {},
    );
  }

  async #ask(text: string, kind: ClaimKind, key: string): Promise<boolean> {
    const { count } = await this.#connections.make({ text, values: [kind, key, this.#host], withinMs });
    return count > 0;
  }
}
