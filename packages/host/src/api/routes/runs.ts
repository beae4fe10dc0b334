import * as z from 'zod/mini';
import type { LedgerStore } from '../../ledger/index.ts';
import { loadRun } from '../../runs/load.ts';
import { shownRequest, shownRun } from '../../runs/shown.ts';
import { findTemplate } from '../../runs/template/find.ts';
import type { Trouble } from '../../runs/trouble.ts';
import { type ApiParts, type Route, route } from '../route.ts';
import { count, json, listOf, maybe, page, pageOf, runId, text, who, words } from '../schemas.ts';

const statuses = ['pending', 'active', 'waiting', 'held', 'completed', 'failed', 'aborted'] as const;
const status = z.enum(statuses);
const params = z.strictObject({ run_id: runId });

const trouble = z.object({ code: text, message: text, hint: text, attempts: count, next_at: maybe });

const run = z.object({
  run_id: text,
  template: text,
  status,
  turns: z.array(z.object({ turn_id: text, role: text, phase: text, attempt: count, state: text })),
  gates: z.array(z.object({ name: text, state: text })),
  reason: z.optional(text),
  cost: z.optional(z.object({ input_tokens: count, output_tokens: count, usd: z.number() })),
  day: z.optional(count),
  day_decision: z.optional(z.enum(['SHIP', 'HOLD'])),
  /** Why the host cannot carry it on for now. */
  trouble: z.optional(trouble),
});

const row = z.object({ run_id: text, status, template: maybe, goal: maybe, created_at: text, updated_at: text });

const listing = z.strictObject({ ...page, status: z.optional(z.array(status)) });

/** How a run stands, with what keeps the host from carrying it on. */
async function standing(run_id: string, { service, foreman }: ApiParts): Promise<z.output<typeof run>> {
  const { row: known, state } = await loadRun(service.ledger, run_id);
  const { turns, gates, ...shown } = state === undefined ? shownRequest(known) : shownRun(state);
  const its = foreman.troubles.find((one) => one.run_id === run_id);
  return { ...shown, turns: [...turns], gates: [...gates], ...(its === undefined ? {} : { trouble: told(its) }) };
}

function told({ run_id: _, ...rest }: Trouble): z.output<typeof trouble> {
  return rest;
}

function rowsOf(ledger: LedgerStore, query: z.output<typeof listing>) {
  return ledger.runs({
    ...(query.status === undefined ? {} : { status: query.status }),
    ...(query.cursor === undefined ? {} : { after: query.cursor }),
    newestFirst: query.order === 'newest',
  });
}

/** Who decides on a gate, and why. `token` proves who they are, where the gate asks for that. */
const decision = { by: who, token: z.optional(words(500)) };

export const runRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/runs',
    summary: 'Runs, the last one first.',
    query: listing,
    answer: listOf(row),
    handle: ({ query }, { service }) =>
      pageOf(rowsOf(service.ledger, query), query.limit, {
        cursor: ({ run_id }) => run_id,
        show: ({ request: _, head: __, ...shown }) => shown,
      }),
  }),
  route({
    method: 'post',
    path: '/runs',
    summary: 'Asks for a run. It is written down when this answers, and goes on as soon as there is room for it.',
    status: 202,
    body: z.strictObject({
      template: z._default(words(100), 'governed'),
      goal: words(100_000),
      by: who,
      /** What the run is told, by name. */
      inputs: z._default(json, {}),
    }),
    answer: run,
    handle: async ({ body: { template, ...wanted } }, parts) => {
      const found = findTemplate(template, parts.project.dir);
      return standing(await parts.service.runs.request({ ...wanted, template: found }), parts);
    },
  }),
  route({
    method: 'get',
    path: '/runs/{run_id}',
    summary: 'How a run stands, as `patchbay run --json` shows it.',
    params,
    answer: run,
    handle: ({ params: { run_id } }, parts) => standing(run_id, parts),
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/approve',
    summary: 'Approves the gate that a run waits at, in the name of somebody.',
    params,
    body: z.strictObject({ ...decision, comment: z.optional(words(10_000)) }),
    answer: run,
    handle: async ({ params: { run_id }, body: { by, token, comment = null } }, parts) => {
      await parts.service.runs.vote(run_id, { by, decision: 'approved', comment, token });
      return standing(run_id, parts);
    },
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/refuse',
    summary: 'Refuses the gate that a run waits at, in the name of somebody: it is held.',
    params,
    body: z.strictObject({ ...decision, reason: words(10_000) }),
    answer: run,
    handle: async ({ params: { run_id }, body: { by, token, reason } }, parts) => {
      await parts.service.runs.vote(run_id, { by, decision: 'refused', comment: reason, token });
      return standing(run_id, parts);
    },
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/abort',
    summary: 'Ends a run, whatever it is doing; of a held one, the run that would resume it.',
    params,
    body: z.strictObject({ by: who, reason: words(10_000) }),
    answer: run,
    handle: async ({ params: { run_id }, body: { by, reason } }, parts) => {
      return standing(await parts.service.runs.abort(run_id, by, reason), parts);
    },
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/resume',
    summary: 'Begins a run anew that was held, as another one; tries one again at once that the host has trouble with.',
    status: 202,
    params,
    body: z.strictObject({
      by: who,
      /** Open objections that the new run begins without. */
      overrule: z._default(z.array(words(100)).check(z.maxLength(100)), []),
    }),
    answer: run,
    handle: async ({ params: { run_id }, body: { by, overrule } }, parts) => {
      const { service, foreman } = parts;
      const { row: known } = await loadRun(service.ledger, run_id);
      const isReleased = known.status === 'held' || overrule.length > 0;
      if (isReleased) return standing(await service.runs.release(run_id, by, overrule), parts);
      foreman.retry(run_id);
      return standing(run_id, parts);
    },
  }),
];
