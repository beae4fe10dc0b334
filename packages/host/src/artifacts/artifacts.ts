import { createHash } from 'node:crypto';
import { PatchbayError } from 'patchbay-sdk';

/**
 * Keeps objects of runs where every host of the project finds them. What is under a name never changes: whoever has something
 * else to say takes another name. So it does no harm if a host that was taken for dead still writes.
 */
export interface ArtifactStore {
  /** Keeps an object; to keep it again does nothing. Rejects with ARTIFACT_LARGE or ARTIFACT_FAILED, or as the database does. */
  put(run_id: string, name: string, content: Uint8Array): Promise<void>;
  /** An object as it was put; undefined if it is not there. Rejects with ARTIFACT_CORRUPT if it is not what was put. */
  get(run_id: string, name: string): Promise<Uint8Array | undefined>;
  /** Removes the objects of a run whose name it is true of; none where the store looks after that by itself. */
  remove(run_id: string, isGone: (name: string) => boolean): Promise<void>;
}

/** What all hosts go by: which objects of a run are its newest. In the database, whichever store has the objects. */
export interface ArtifactHeads {
  /** What was last written of a run; undefined if nothing was. */
  read(run_id: string): Promise<string | undefined>;
  /**
   * Replaces it, if it is still what it was `before`. Rejects with RUN_MOVED if it is not, and with HOST_FENCED if this host was
   * taken for dead: in both cases another one has gone on with the run.
   */
  write(run_id: string, head: string, before: string | undefined): Promise<void>;
}

/** How the work of runs goes from host to host. */
export interface Artifacts {
  readonly store: ArtifactStore;
  readonly heads: ArtifactHeads;
  /** Removes what is left of runs that have ended long ago. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** By what an object is known again, as hexadecimal digits. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The content, if it has this hash. Throws ARTIFACT_CORRUPT, which names the run and the object. */
export function verified(run: string, name: string, content: Uint8Array, sha256: string): Uint8Array {
  if (sha256Of(content) === sha256) return content;
  const message = `the artifact "${name}" of run ${run} is not what was stored: its SHA-256 is not ${sha256}`;
  throw new PatchbayError('ARTIFACT_CORRUPT', message, { run });
}
