import { PatchbayError } from 'patchbay-sdk';
import { registryError } from './registry-answer.ts';

/** What to know about the registry. */
export interface RegistryOptions {
  /** Its URL. @default npm's public registry */
  readonly registry?: string | undefined;
  /** For everything that is asked of it, together. @default 30000 */
  readonly timeoutMs?: number | undefined;
}

/** What npm's libraries are told about the registry and the time they have. */
export function registrySettings({ registry }: RegistryOptions, timeoutMs: number, signal: AbortSignal) {
  return {
    ...(registry === undefined ? {} : { registry }),
    signal,
    timeout: timeoutMs,
    retry: { retries: 2, factor: 3, minTimeout: 200, maxTimeout: 2_000 },
    preferOnline: true,
    packumentCache: new Map(),
    ignoreScripts: true,
  };
}

/** One exchange with the registry, bounded in time and size: whatever the other side does, `answer` comes back. */
export class RegistryRequest {
  readonly #asked: string;
  readonly #limit: number;
  readonly #abort = new AbortController();
  readonly #timers: NodeJS.Timeout[];
  readonly #stopped: Promise<never>;

  /** `asked` is what errors name, `limit` is in bytes. */
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

  /** Ends what is asked, and not only the waiting for it. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What is asked, or why there is no answer: `explain` makes a PatchbayError of what a library threw. */
  async answer<T>(
    asking: Promise<T>,
    explain: (error: unknown) => PatchbayError = (error) => registryError(error, this.#asked),
  ): Promise<T> {
    asking.catch(() => {});
    try {
      return await Promise.race([asking, this.#stopped]);
    } catch (error) {
      throw error instanceof PatchbayError ? error : explain(error);
    }
  }

  /** All of a stream. Throws PACKAGE_UNSAFE if that is more than the limit. */
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
