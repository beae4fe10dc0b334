import { PatchbayError } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { pauseWebhooks, readPaused, resumeWebhooks } from '../../inbound/pauses.ts';
import { type ApiParts, type Route, route } from '../route.ts';
import { text, words } from '../schemas.ts';

const webhook = z.object({ path: text, plugin: text, scheme: text, state: z.enum(['open', 'paused']) });
const listed = z.object({ items: z.array(webhook) });

/** Which of them: one path, or all if none is named. */
const body = z.strictObject({ path: z.optional(words(256)) });

async function list({ webhooks, project, service }: ApiParts): Promise<z.output<typeof listed>> {
  const paused = await readPaused(service.ledger, project.dir);
  const isPaused = (path: string) => paused.all || paused.paths.has(path);
  return { items: webhooks.map((one) => ({ ...one, state: isPaused(one.path) ? 'paused' : 'open' })) };
}

function changing(verb: 'pause' | 'resume', summary: string): Route {
  return route({
    method: 'post',
    path: `/webhooks/${verb}`,
    summary,
    body,
    answer: listed,
    handle: async ({ body: { path } }, parts) => {
      if (path !== undefined && !parts.webhooks.some((one) => one.path === path)) {
        throw new PatchbayError('WEBHOOK_UNKNOWN', `no plugin takes requests on ${path}`);
      }
      const change = verb === 'pause' ? pauseWebhooks : resumeWebhooks;
      await change(parts.service.ledger, parts.project.dir, path ?? null);
      return list(parts);
    },
  });
}

export const webhookRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/webhooks',
    summary: 'On which paths requests of others are taken, and whether they are paused.',
    answer: listed,
    handle: (_, parts) => list(parts),
  }),
  changing('pause', 'Refuses requests of others on a path, or on all, until that is resumed.'),
  changing('resume', 'Takes requests of others again on a path, or on all.'),
];
