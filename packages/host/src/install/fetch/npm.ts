import { Readable } from 'node:stream';
import type pacote from 'pacote';
import { PatchbayError } from 'patchbay-sdk';
import semver from 'semver';
import type { StagingFolder } from './folder.ts';
import { registryError } from './registry-answer.ts';
import { type NpmSource, sourceText } from './source.ts';
import { unpackTar } from './tar.ts';

/** What to know about the registry. */
export interface RegistryOptions {
  /** Its URL. @default npm's public registry */
  readonly registry?: string | undefined;
  /** For everything that is asked of it, together. @default 30000 */
  readonly timeoutMs?: number | undefined;
}

/** What a package of the registry turned out to be. */
export interface ResolvedNpm {
  readonly version: string;
  /** Of the tarball, as the registry announces it. */
  readonly integrity: string;
}

/**
 * Fetches a package from the registry and unpacks it. The tarball is checked against the integrity that the registry
 * announces before any of it is unpacked. No script is run, and npm's cache is not used.
 */
export async function stageNpm(
  source: NpmSource,
  folder: StagingFolder,
  { registry, timeoutMs = 30_000 }: RegistryOptions,
): Promise<ResolvedNpm> {
  const asked = sourceText(source);
  const request = new Request(asked, timeoutMs, folder.policy.limits.bytes);
  const options = {
    ...(registry === undefined ? {} : { registry }),
    signal: request.signal,
    timeout: timeoutMs,
    retry: { retries: 2, factor: 3, minTimeout: 200, maxTimeout: 2_000 },
    preferOnline: true,
    packumentCache: new Map(),
    ignoreScripts: true,
  };
  try {
    const { default: fetcher } = await import('pacote');
    const manifest = await request.answer(fetcher.manifest(`${source.name}@${source.range ?? ''}`, options));
    const { version, integrity } = checked(manifest, source.name, asked);
    const tarball = await request.answer(
      fetcher.tarball.stream(`${source.name}@${version}`, (stream) => request.download(stream), options),
      'it lists this version, but its tarball is missing',
    );
    await unpackTar(Readable.from([tarball]), folder);
    return { version, integrity };
  } finally {
    request.end();
  }
}

function checked(manifest: pacote.ManifestResult, name: string, asked: string): ResolvedNpm {
  const { name: found, version, _integrity: integrity }: Record<string, unknown> = { ...manifest };
  if (found !== name || typeof version !== 'string' || semver.valid(version) === null) {
    throw new PatchbayError('SOURCE_UNAVAILABLE', `${asked}: the registry failed: it answered about something else`);
  }
  if (typeof integrity !== 'string' || integrity === '') {
    throw new PatchbayError('PACKAGE_UNSAFE', `${asked}: the registry announces no integrity for version ${version}`);
  }
  return { version, integrity };
}

/** One exchange with the registry, bounded in time and size: whatever the other side does, `answer` comes back. */
class Request {
  readonly #asked: string;
  readonly #limit: number;
  readonly #abort = new AbortController();
  readonly #timers: NodeJS.Timeout[];
  readonly #stopped: Promise<never>;

  constructor(asked: string, timeoutMs: number, limit: number) {
    this.#asked = asked;
    this.#limit = limit;
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (why: string) => {
      const error = new PatchbayError('SOURCE_UNAVAILABLE', `${asked}: the registry ${why}`);
      reject(error);
      this.#abort.abort(error);
    };
    // pacote reads what describes a package whole, and has no bound for it; a memory that fills up is the one sign.
    const before = process.memoryUsage().arrayBuffers;
    const watch = () => {
      if (process.memoryUsage().arrayBuffers - before > 2 * limit + 64 * 1024 * 1024) stop('sends too much');
    };
    this.#timers = [
      setTimeout(() => stop(`did not answer within ${timeoutMs / 1000} s`), timeoutMs),
      setInterval(watch, 50),
    ];
    promise.catch(() => {}); // It may come when nobody waits any more.
    this.#stopped = promise;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async answer<T>(asking: Promise<T>, missing?: string): Promise<T> {
    asking.catch(() => {});
    try {
      return await Promise.race([asking, this.#stopped]);
    } catch (error) {
      if (error instanceof PatchbayError) throw error;
      const { code } = error as { code?: unknown };
      if (missing !== undefined && code === 'E404') throw registryError(new Error(missing), this.#asked);
      throw registryError(error, this.#asked);
    }
  }

  async download(stream: NodeJS.ReadableStream): Promise<Buffer> {
    stream.on('error', () => {}); // The loop reports it; after the loop nobody would be listening.
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > this.#limit) {
        throw new PatchbayError('PACKAGE_UNSAFE', `${this.#asked}: its tarball is larger than ${this.#limit} bytes`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Nothing goes on after this. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#abort.abort();
  }
}
