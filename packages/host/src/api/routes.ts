import * as z from 'zod/mini';
import { documentOf } from './openapi.ts';
import { type Route, route } from './route.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { chatRoutes } from './routes/chats.ts';
import { dayRoutes } from './routes/days.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { eventRoutes } from './routes/events.ts';
import { gateRoutes } from './routes/gates.ts';
import { hookRoutes } from './routes/hooks.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { pluginRoutes } from './routes/plugins.ts';
import { runRoutes } from './routes/runs.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { json } from './schemas.ts';

/** Every route. What is served, the OpenAPI document, and `docs/api.md` come from this table. */
export const routes: readonly Route[] = [
  route({
    method: 'get',
    path: '/health',
    summary: 'Whether the host is there. Needs no token.',
    open: true,
    answer: z.object({ ok: z.literal(true) }),
    handle: () => ({ ok: true }) as const,
  }),
  route({
    method: 'get',
    path: '/openapi.json',
    summary: 'This document.',
    answer: json,
    handle: (): Record<string, unknown> => documentOf(routes),
  }),
  ...runRoutes,
  ...dayRoutes,
  ...gateRoutes,
  ...approvalRoutes,
  ...eventRoutes,
  ...chatRoutes,
  ...deliveryRoutes,
  ...pluginRoutes,
  ...hookRoutes,
  ...webhookRoutes,
  ...mcpRoutes,
];
