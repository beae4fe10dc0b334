import * as z from 'zod/mini';
import { decideCall, type PendingCall, pendingCalls } from '../../services/index.ts';
import { type Route, route } from '../route.ts';
import { approvalId, json, listOf, maybe, text, who, words } from '../schemas.ts';

const pending = z.object({
  approval_id: text,
  tool: text,
  /** The folder of the workspace, and the chat, in which it is called. */
  workspace: maybe,
  chat_jid: maybe,
  request_id: text,
  /** The attempt of a turn that it is called by: RUN/TURN/ATTEMPT. */
  key: text,
  input: json,
  input_sha256: text,
  /** Why somebody is asked. */
  why: text,
  requested_at: text,
  expires_at: text,
});

function shown({ input, ...rest }: PendingCall): z.output<typeof pending> {
  return { ...rest, input: { ...input } };
}

export const approvalRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/approvals',
    summary: 'The calls of tools that wait for somebody to decide on them, the oldest first.',
    answer: listOf(pending),
    handle: async (_, { service: { ledger } }) => {
      return { items: (await pendingCalls(ledger, Date.now())).map(shown), next: null };
    },
  }),
  route({
    method: 'post',
    path: '/approvals/{approval_id}',
    summary: 'Decides on a call of a tool: it is made, or refused. Each can be decided on once, and until it expires.',
    params: z.strictObject({ approval_id: approvalId }),
    body: z.strictObject({
      decision: z.enum(['approved', 'refused']),
      by: z._default(who, 'api'),
      comment: z.optional(words(2000)),
    }),
    answer: pending,
    handle: async ({ params, body: { decision, by, comment = null } }, { kernel, service: { ledger } }) => {
      return shown(await decideCall(kernel, ledger, params.approval_id, { decision, by, comment }));
    },
  }),
];
