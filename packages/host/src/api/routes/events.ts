import * as z from 'zod/mini';
import type { EventFilter, LedgerStore } from '../../ledger/index.ts';
import { Refused } from '../refused.ts';
import { type Route, route, streamRoute } from '../route.ts';
import { listOf, page, pageOf, place, runId, words } from '../schemas.ts';
import { event, shownEvent } from '../shown.ts';

const which = {
  run: z.optional(runId),
  /** A name, or several with `*` for any text: `turn:*`. */
  type: z.optional(words(100)),
};
const time = z.optional(z.iso.datetime({ offset: true }));

function filterOf({ run, type }: { run?: string | undefined; type?: string | undefined }): EventFilter {
  return { ...(run === undefined ? {} : { run }), ...(type === undefined ? {} : { type }) };
}

async function lastSeq(ledger: LedgerStore): Promise<number> {
  for await (const { seq } of ledger.events({ newestFirst: true, limit: 1 })) return seq;
  return 0;
}

/** The place that a client says it has seen. */
function seenBy(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined;
  const seen = place.safeParse(lastEventId);
  if (/^\d+$/.test(lastEventId) && seen.success) return seen.data;
  throw new Refused(400, 'REQUEST_INVALID', 'Last-Event-ID must be the place of an event, a whole number');
}

export const eventRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/events',
    summary: 'What happened, the last first.',
    query: z.strictObject({ ...page, cursor: z.optional(place), ...which, since: time, until: time }),
    answer: listOf(event),
    handle: ({ query }, { service: { ledger } }) => {
      const { limit, order, cursor, since, until } = query;
      const beyond = order === 'newest' ? { beforeSeq: cursor } : { afterSeq: cursor };
      const events = ledger.events({
        ...filterOf(query),
        ...(cursor === undefined ? {} : (beyond as EventFilter)),
        ...(since === undefined ? {} : { since: new Date(since) }),
        ...(until === undefined ? {} : { until: new Date(until) }),
        newestFirst: order === 'newest',
      });
      return pageOf(events, limit, { cursor: ({ seq }) => String(seq), show: shownEvent });
    },
  }),
  streamRoute({
    method: 'get',
    path: '/events/stream',
    summary:
      'What happens from now on, as server-sent events. `Last-Event-ID`, or `after`, goes on after a place in the ledger.',
    query: z.strictObject({ ...which, after: z.optional(place) }),
    handle: async ({ query, header, drop }, { service: { ledger }, streams }) => {
      const afterSeq = seenBy(header('last-event-id')) ?? query.after ?? (await lastSeq(ledger));
      return streams.open({ ...filterOf(query), afterSeq }, drop);
    },
  }),
];
