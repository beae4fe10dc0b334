import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type ChatApi, HostGone } from './api.ts';

/** An event of the ledger, as the API shows it. */
export interface ChatEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly run_id: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Something that happened, or that the host went or came back. */
export type News = { readonly kind: 'event'; readonly event: ChatEvent } | { readonly kind: 'gone' | 'back' };

const againMs = 300;

/**
 * Everything that happens after a place, each thing once, over whatever restarts of the host, until the signal is aborted. Throws what
 * the host says if it does not let us.
 */
export async function* follow(api: ChatApi, afterSeq: number, signal: AbortSignal): AsyncGenerator<News> {
  let seen = afterSeq;
  let isGone = false;
  while (!signal.aborted) {
    try {
      const stream = await api.stream(seen, signal);
      if (isGone) yield { kind: 'back' };
      isGone = false;
      for await (const event of eventsIn(stream)) {
        // The same place twice would be the host's mistake, and the reader's trouble.
        if (event.seq <= seen) continue;
        seen = event.seq;
        yield { kind: 'event', event };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HostGone)) throw error;
    }
    if (signal.aborted) return;
    if (!isGone) yield { kind: 'gone' };
    isGone = true;
    await sleep(againMs, undefined, { signal }).catch(() => {});
  }
}

/** Throws HostGone when the stream breaks. */
async function* eventsIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<ChatEvent> {
  const messages = stream
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream());
  const reader = messages.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read().catch((error) => {
        throw new HostGone(String(error));
      });
      if (done) return;
      yield JSON.parse(value.data) as ChatEvent;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
