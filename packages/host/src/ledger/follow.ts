import type { EventFilter, LedgerStore, StoredEvent } from './store.ts';

/** The events of any store that are there, and then those that come, until the signal. See `LedgerStore.follow`. */
export async function* follow(
  store: Pick<LedgerStore, 'events' | 'on'>,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  let news = Promise.withResolvers<void>();
  const wake = () => news.resolve();
  if (signal.aborted) return;
  const undo = [store.on('appended', wake), store.on('elsewhere', wake)];
  signal.addEventListener('abort', wake);
  try {
    let afterSeq = filter.afterSeq;
    while (!signal.aborted) {
      news = Promise.withResolvers();
      const end = await endOf(store);
      for await (const event of store.events(afterSeq === undefined ? filter : { ...filter, afterSeq })) {
        if (signal.aborted) return;
        yield event;
        afterSeq = event.seq;
      }
      // What does not pass the filter need not be looked at again.
      afterSeq = Math.max(afterSeq ?? 0, end);
      if (!signal.aborted) await news.promise;
    }
  } catch (error) {
    // The store may have been closed between two pages.
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', wake);
    for (const off of undo) off();
  }
}

async function endOf(store: Pick<LedgerStore, 'events'>): Promise<number> {
  for await (const { seq } of store.events({ newestFirst: true, limit: 1 })) return seq;
  return 0;
}
