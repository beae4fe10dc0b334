import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { type ArtifactStore, sha256Of, verified } from './artifacts.ts';

const hashLength = 64;

/** Objects of runs in a folder that all hosts see: one for each run, in which a file is a hash and what has it. */
export class DirectoryArtifacts implements ArtifactStore {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async put(run_id: string, name: string, content: Uint8Array): Promise<void> {
    const folder = this.#folder(run_id);
    // Of its own: another host may be putting the same.
    const next = join(folder, `.${randomUUID()}`);
    try {
      await mkdir(folder, { recursive: true });
      const file = await open(next, 'wx', 0o600);
      try {
        await file.writeFile(sha256Of(content));
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(next, join(folder, name));
    } catch (error) {
      await rm(next, { force: true }).catch(() => {});
      throw this.#failed(run_id, name, 'written', error);
    }
  }

  async get(run_id: string, name: string): Promise<Uint8Array | undefined> {
    let kept: Buffer;
    try {
      kept = await readFile(join(this.#folder(run_id), name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.#failed(run_id, name, 'read', error);
    }
    return verified(run_id, name, kept.subarray(hashLength), kept.toString('latin1', 0, hashLength));
  }

  async remove(run_id: string, isGone: (name: string) => boolean): Promise<void> {
    const folder = this.#folder(run_id);
    try {
      const names = await readdir(folder).catch(() => []);
      const gone = names.filter(isGone);
      for (const name of gone) await rm(join(folder, name), { force: true });
      // Not if another host has put something meanwhile.
      if (gone.length === names.length) await rmdir(folder).catch(() => {});
    } catch (error) {
      throw this.#failed(run_id, '*', 'removed', error);
    }
  }

  #folder(run_id: string): string {
    return join(this.#dir, encodeURIComponent(run_id));
  }

  #failed(run: string, name: string, doing: string, cause: unknown): PatchbayError {
    const message = `the artifact "${name}" of run ${run} could not be ${doing} in ${this.#dir}: ${messageOf(cause)}`;
    const hint = 'See that the folder under "artifacts" in patchbay.yaml is there on this host and can be written to.';
    return new PatchbayError('ARTIFACT_FAILED', message, { run, file: this.#dir, hint, cause });
  }
}
