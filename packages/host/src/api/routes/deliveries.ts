import * as z from 'zod/mini';
import type { DeliveryFilter } from '../../ledger/index.ts';
import { type Route, route } from '../route.ts';
import { deliveryId, listOf, page, pageOf, runId, words } from '../schemas.ts';
import { delivery, shownDelivery } from '../shown.ts';

const params = z.strictObject({ id: deliveryId });
const query = z.strictObject({
  ...page,
  cursor: z.optional(deliveryId),
  event: z.optional(words(100)),
  plugin: z.optional(words(200)),
  run: z.optional(runId),
  status: z.optional(z.array(delivery.shape.status)),
});

function filterOf({ event, plugin, run, status, cursor }: z.output<typeof query>): DeliveryFilter {
  return {
    ...(event === undefined ? {} : { event }),
    ...(plugin === undefined ? {} : { plugin }),
    ...(run === undefined ? {} : { run }),
    ...(status === undefined ? {} : { status }),
    ...(cursor === undefined ? {} : { after: cursor }),
  };
}

export const deliveryRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/deliveries',
    summary: 'Each handler called for each event, and what came of it, the last first.',
    query,
    answer: listOf(delivery),
    handle: ({ query: asked }, { service: { ledger } }) =>
      pageOf(ledger.deliveries({ ...filterOf(asked), newestFirst: asked.order === 'newest' }), asked.limit, {
        cursor: ({ id }) => id,
        show: shownDelivery,
      }),
  }),
  route({
    method: 'get',
    path: '/deliveries/{id}',
    summary: 'What became of one delivery.',
    params,
    answer: delivery,
    handle: async ({ params: { id } }, { service }) => shownDelivery(await service.ledger.delivery(id)),
  }),
  route({
    method: 'post',
    path: '/deliveries/{id}/replay',
    summary: 'Has a delivery made again, under the same key.',
    status: 202,
    params,
    answer: delivery,
    handle: async ({ params: { id } }, { service }) => shownDelivery(await service.ledger.replay(id)),
  }),
];
