import { fieldsOf, type HookName, type HookTable, hooks } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { type Route, route } from '../route.ts';
import { hookName, text } from '../schemas.ts';

const hook = z.object({
  name: text,
  kind: text,
  failure: text,
  deadline_ms: z.nullable(z.number()),
  historic: z.boolean(),
  since: text,
  fields: z.nullable(z.array(text)),
  doc: text,
});
const called = z.object({ plugin: text, handler: text, because: text });

export const hookRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/hooks',
    summary: 'All hooks: kind, how they fail, when they are called.',
    answer: z.object({ items: z.array(hook) }),
    handle: () => ({
      items: Object.entries(hooks as HookTable).map(([name, row]) => ({
        name,
        kind: row.kind,
        failure: row.failure,
        deadline_ms: row.deadlineMs,
        historic: row.historic ?? false,
        since: row.since,
        fields: fieldsOf(row.payload)?.slice() ?? null,
        doc: row.doc,
      })),
    }),
  }),
  route({
    method: 'get',
    path: '/hooks/{name}',
    summary: 'In which order the plugins of this project are called for a hook, and why.',
    params: z.strictObject({ name: hookName }),
    answer: z.object({ event: text, order: z.array(called) }),
    handle: ({ params: { name } }, { kernel }) => {
      const order = kernel.hook(name as HookName).explain();
      return { event: name, order: order.map(({ plugin, handler, because }) => ({ plugin, handler, because })) };
    },
  }),
];
