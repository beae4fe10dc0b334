import { v7 } from 'uuid';
import * as z from 'zod/mini';
import { type Assistant, terminalChat } from '../../assistant/index.ts';
import { Refused } from '../refused.ts';
import { type ApiParts, type Route, route } from '../route.ts';
import { count, maybe, page, text, who, words } from '../schemas.ts';

const params = z.strictObject({ workspace: words(64) });
const chat = z.object({ jid: text, name: maybe, active_at: maybe });
const workspace = z.object({
  workspace: text,
  name: text,
  chats: z.array(chat),
  /** How many messages wait for an answer, the one that is worked on included. */
  queue: count,
  busy: z.boolean(),
});
const message = z.object({
  event_id: text,
  at: text,
  sender: maybe,
  sender_name: text,
  content: text,
  is_bot: z.boolean(),
  answers: maybe,
});
/** Which of the chats of the workspace; that at the terminal, if it is left out. */
const which = { chat: z.optional(words(512)) };

function assistantOf(parts: ApiParts): Assistant {
  const assistant = parts.assistant?.();
  if (assistant !== undefined) return assistant;
  throw new Refused(
    404,
    'REQUEST_UNKNOWN',
    'this host has no chats; where several share a database, another one has them',
  );
}

/** The chat of a workspace that is asked for. Throws WORKSPACE_UNKNOWN, REQUEST_UNKNOWN. */
function chatOf(assistant: Assistant, folder: string, jid = terminalChat(folder)): string {
  assistant.workspace(folder);
  if (assistant.workspaceOf(jid)?.folder === folder) return jid;
  throw new Refused(404, 'REQUEST_UNKNOWN', `workspace "${folder}" has no chat ${jid}`);
}

export const chatRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/chats',
    summary: 'The workspaces with their chats, and what they have to do.',
    answer: z.object({ items: z.array(workspace) }),
    handle: async (_, parts) => {
      const all = await assistantOf(parts).overview();
      return { items: all.map((one) => ({ ...one, chats: [...one.chats] })) };
    },
  }),
  route({
    method: 'get',
    path: '/chats/{workspace}/messages',
    summary: 'What was said last in a chat since it was cleared, the oldest first.',
    params,
    query: z.strictObject({ limit: page.limit, ...which }),
    answer: z.object({ items: z.array(message) }),
    handle: async ({ params: { workspace: folder }, query }, parts) => {
      const assistant = assistantOf(parts);
      return { items: [...(await assistant.history(chatOf(assistant, folder, query.chat), query.limit))] };
    },
  }),
  route({
    method: 'post',
    path: '/chats/{workspace}/messages',
    summary:
      'Says something to a workspace, at the terminal. The same `message_id` is taken once. The answer comes as an event.',
    status: 202,
    params,
    body: z.strictObject({ text: words(262_144), sender: z.optional(who), message_id: z.optional(words(512)) }),
    answer: z.object({ event_id: text }),
    handle: async ({ params: { workspace: folder }, body }, parts) => {
      const { text: said, sender = 'operator', message_id = v7() } = body;
      const event_id = await assistantOf(parts).takeTyped(folder, { id: message_id, sender, text: said });
      return { event_id };
    },
  }),
  route({
    method: 'delete',
    path: '/chats/{workspace}/messages',
    summary: 'Has a chat forget what was said. Messages that wait for an answer still get one.',
    params,
    query: z.strictObject(which),
    answer: z.object({ cleared: z.literal(true) }),
    handle: async ({ params: { workspace: folder }, query }, parts) => {
      const assistant = assistantOf(parts);
      await assistant.clear(chatOf(assistant, folder, query.chat), 'operator');
      return { cleared: true } as const;
    },
  }),
];
