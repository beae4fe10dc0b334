import type { EventFilter, LedgerStore, StoredEvent } from '../ledger/index.ts';
import type { Limits } from './limits.ts';
import { Refused } from './refused.ts';
import { shownEvent } from './shown.ts';

const encoder = new TextEncoder();
const beat = encoder.encode(': still there\n\n');

/**
 * Streams of events, as server-sent events. Nothing is read ahead for a reader: what it has not taken is in the ledger, and in
 * no memory. One that takes nothing for too long is dropped; it comes back with the place of the last event it saw.
 */
export class EventStreams {
  readonly #ledger: Pick<LedgerStore, 'follow'>;
  readonly #limits: Pick<Limits, 'streams' | 'beatMs' | 'stallMs'>;
  readonly #open = new Set<AbortController>();

  constructor(ledger: Pick<LedgerStore, 'follow'>, limits: Pick<Limits, 'streams' | 'beatMs' | 'stallMs'>) {
    this.#ledger = ledger;
    this.#limits = limits;
  }

  /** The events after a place, without an end. `drop` is called when its reader is too slow. Throws if there are too many. */
  open(filter: EventFilter & { readonly afterSeq: number }, drop: () => void): ReadableStream<Uint8Array> {
    if (this.#open.size >= this.#limits.streams) {
      const message = `${this.#limits.streams} streams are open, which is all there can be`;
      throw new Refused(503, 'REQUEST_LIMITED', message, { headers: { 'retry-after': '5' } });
    }
    const { beatMs, stallMs } = this.#limits;
    const stop = new AbortController();
    this.#open.add(stop);
    const events = this.#ledger.follow(filter, stop.signal)[Symbol.asyncIterator]();
    let next: Promise<IteratorResult<StoredEvent>> | undefined;
    let stalled: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(stalled);
      stop.abort();
      // It may have been about to give one that nobody takes any more.
      void events.return?.().catch(() => {});
      this.#open.delete(stop);
    };
    const expectReader = () => {
      stalled = setTimeout(() => {
        end();
        drop();
      }, stallMs);
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          // The place to come back to, for one that is cut off before anything happens.
          controller.enqueue(encoder.encode(`retry: 2000\nid: ${filter.afterSeq}\n\n`));
          expectReader();
        },
        pull: async (controller) => {
          clearTimeout(stalled);
          next ??= events.next();
          const got = await within(beatMs, next).catch((error) => {
            end();
            throw error;
          });
          if (got?.done) {
            end();
            controller.close();
            return;
          }
          if (got !== undefined) next = undefined;
          controller.enqueue(got === undefined ? beat : encoder.encode(messageOf(got.value)));
          if (!stop.signal.aborted) expectReader();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  }

  /** Ends all of them. */
  close(): void {
    for (const stop of this.#open) stop.abort();
  }
}

/** What a promise comes to, if that is soon. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(event: StoredEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`;
}
