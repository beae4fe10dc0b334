import { type ArtifactStoring, messageOf, PatchbayError } from 'patchbay-sdk';
import { inTime } from '../capabilities/in-time.ts';
import { type ArtifactStore, sha256Of, verified } from './artifacts.ts';

/** So much goes in one call: a plugin in a process of its own can say no more than 4 MiB at once. */
const partBytes = 2 * 1024 * 1024;
const callMs = 60_000;

/** What is kept of an object beside its parts, when all of them are there. */
interface Whole {
  readonly parts: number;
  readonly sha256: string;
}

/** Objects of runs where a plugin keeps them. It is asked for parts of them; how long those stay is its own affair. */
export class PluginArtifacts implements ArtifactStore {
  readonly #plugin: string;
  readonly #storing: ArtifactStoring;

  constructor(plugin: string, storing: ArtifactStoring) {
    this.#plugin = plugin;
    this.#storing = storing;
  }

  async put(run_id: string, name: string, content: Uint8Array): Promise<void> {
    const parts = Math.ceil(content.length / partBytes);
    for (let n = 0; n < parts; n++) {
      const part = Buffer.from(content.subarray(n * partBytes, (n + 1) * partBytes)).toString('base64');
      await this.#ask(run_id, name, (signal) => this.#storing.put(keyOf(run_id, name, n), part, { signal }));
    }
    const whole: Whole = { parts, sha256: sha256Of(content) };
    const last = Buffer.from(JSON.stringify(whole)).toString('base64');
    await this.#ask(run_id, name, (signal) => this.#storing.put(keyOf(run_id, name, 'whole'), last, { signal }));
  }

  async get(run_id: string, name: string): Promise<Uint8Array | undefined> {
    const last = await this.#part(run_id, name, 'whole');
    if (last === undefined) return undefined;
    const { parts, sha256 } = wholeIn(last);
    const all: Buffer[] = [];
    // One that is missing, or too much, is told by the hash.
    for (let n = 0; n < parts; n++) all.push((await this.#part(run_id, name, n)) ?? Buffer.alloc(0));
    return verified(run_id, name, Buffer.concat(all), sha256);
  }

  async remove(): Promise<void> {}

  async #part(run_id: string, name: string, n: number | 'whole'): Promise<Buffer | undefined> {
    const answer = await this.#ask(run_id, name, (signal) => this.#storing.get(keyOf(run_id, name, n), { signal }));
    if (answer === null) return undefined;
    if (typeof answer === 'string') return Buffer.from(answer, 'base64');
    throw this.#failed(run_id, name, 'it answered neither text nor null');
  }

  async #ask<T>(run_id: string, name: string, ask: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    const stop = new AbortController();
    try {
      return await inTime(callMs, () => ask(stop.signal));
    } catch (error) {
      throw this.#failed(run_id, name, messageOf(error), error);
    } finally {
      stop.abort();
    }
  }

  #failed(run: string, name: string, what: string, cause?: unknown): PatchbayError {
    const message = `plugin "${this.#plugin}" could not keep or give the artifact "${name}" of run ${run}: ${what}`;
    return new PatchbayError('ARTIFACT_FAILED', message, { run, plugin: this.#plugin, hook: 'artifactStore', cause });
  }
}

function keyOf(run_id: string, name: string, n: number | 'whole'): string {
  return `${encodeURIComponent(run_id)}/${name}/${n}`;
}

/** What cannot be understood is an object without parts, which no hash fits. */
function wholeIn(kept: Buffer): Whole {
  try {
    const { parts, sha256 } = JSON.parse(kept.toString()) as Partial<Whole>;
    return { parts: Number(parts) || 0, sha256: String(sha256) };
  } catch {
    return { parts: 0, sha256: '' };
  }
}
