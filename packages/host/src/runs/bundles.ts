import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ArtifactStore } from '../artifacts/index.ts';
import { type SealedBundle, sealBundle, verifyBundle } from '../workspaces/index.ts';

/** The sealed bundles of turns, on this host and, where there are others, for them. */
export class Bundles {
  readonly #store: ArtifactStore | undefined;

  /** `store` is where other hosts find them; undefined if there are none. */
  constructor(store: ArtifactStore | undefined) {
    this.#store = store;
  }

  /** Seals a bundle in the folder of its attempt, and stores it. */
  async seal(run_id: string, dir: string, files: Readonly<Record<string, string>>): Promise<SealedBundle> {
    const sealed = sealBundle(join(dir, 'bundle'), files);
    await this.#store?.put(run_id, nameOf(sealed), Buffer.from(JSON.stringify(files)));
    return sealed;
  }

  /** Stores a bundle that was sealed when there were no other hosts; one that is not as it was dispatched is of no use to them. */
  async share(run_id: string, dispatched: SealedBundle): Promise<void> {
    if (!verifyBundle(dispatched.path, dispatched)) return;
    const textOf = (path: string) => readFileSync(join(dispatched.path, path), 'utf8');
    const files = Object.fromEntries(dispatched.files.map(({ path }) => [path, textOf(path)]));
    await this.#store?.put(run_id, nameOf(dispatched), Buffer.from(JSON.stringify(files)));
  }

  /**
   * Where a bundle is on this host: where it was dispatched, or in the folder of its attempt, into which it is brought if another
   * host has stored it. Undefined if it is nowhere as it was dispatched.
   */
  async find(run_id: string, dispatched: SealedBundle, dir: string): Promise<string | undefined> {
    const own = join(dir, 'bundle');
    const isThere = (path: string) => verifyBundle(path, dispatched);
    if (isThere(dispatched.path)) return dispatched.path;
    if (this.#store === undefined) return undefined;
    if (isThere(own)) return own;
    const content = await this.#store.get(run_id, nameOf(dispatched));
    if (content === undefined) return undefined;
    sealBundle(own, JSON.parse(Buffer.from(content).toString()) as Record<string, string>);
    return isThere(own) ? own : undefined;
  }
}

/** By its hash: two hosts that make different ones for the same turn are not in each other's way. */
function nameOf({ sha256 }: SealedBundle): string {
  return `bundle-${sha256}`;
}
