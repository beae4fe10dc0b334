import * as z from 'zod/mini';
import { loadRun } from '../../runs/load.ts';
import type { RunState } from '../../runs/state.ts';
import { type Route, route } from '../route.ts';
import { count, listOf, maybe, page, pageOf, text } from '../schemas.ts';

const gate = z.object({
  run_id: text,
  goal: text,
  template: text,
  gate: text,
  phase: text,
  approval_id: maybe,
  expires_at: maybe,
  /** How many must approve. */
  quorum: count,
  /** Who may; anybody, if it is nobody. */
  approvers: z.array(text),
  started_by: text,
  votes: z.array(z.object({ by: text, decision: text, comment: maybe, proven: z.boolean() })),
});

function shown({ run_id, goal, template, gate: standing, phase, started_by }: RunState): z.output<typeof gate> {
  const { quorum, approvers } = template.gates[standing?.name ?? '']?.approval ?? { quorum: 1, approvers: [] };
  return {
    run_id,
    goal,
    template: template.name,
    gate: standing?.name ?? '',
    phase: standing?.phase ?? phase,
    approval_id: standing?.approval?.id ?? null,
    expires_at: standing?.approval?.expires_at ?? null,
    quorum,
    approvers: [...approvers],
    started_by,
    votes: (standing?.votes ?? []).map((vote) => ({ ...vote })),
  };
}

export const gateRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/gates',
    summary: 'The gates at which runs wait for somebody, the last one first.',
    query: z.strictObject(page),
    answer: listOf(gate),
    handle: async ({ query: { limit, order, cursor } }, { service: { ledger } }) => {
      const after = cursor === undefined ? {} : { after: cursor };
      const rows = ledger.runs({ status: ['waiting'], ...after, newestFirst: order === 'newest' });
      const { items, next } = await pageOf(rows, limit, {
        cursor: ({ run_id }) => run_id,
        show: async ({ run_id }) => (await loadRun(ledger, run_id)).state,
      });
      // One may have gone on since the rows were read.
      const waiting = items.filter((state) => state?.status === 'waiting');
      return { items: waiting.map((state) => shown(state as RunState)), next };
    },
  }),
];
