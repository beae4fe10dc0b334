import { type AnyMessage, type AnyNotification, methods, type Stream } from '@agentclientprotocol/sdk';
import { z } from 'patchbay-sdk/zod';

const toolCall = z.object({
  toolCallId: z.string(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  locations: z.array(z.object({ path: z.string() })).nullish(),
  content: z.array(z.object({ type: z.string(), path: z.string().optional() })).nullish(),
});
/** What is known of a tool that an agent uses or wants to use. */
export type ToolCall = z.output<typeof toolCall>;

const update = z.discriminatedUnion('sessionUpdate', [
  z.object({
    sessionUpdate: z.literal('agent_message_chunk'),
    content: z.object({ text: z.string().optional() }),
    messageId: z.string().nullish(),
  }),
  toolCall.extend({ sessionUpdate: z.literal('tool_call') }),
  toolCall.extend({ sessionUpdate: z.literal('tool_call_update') }),
  z.object({
    sessionUpdate: z.literal('usage_update'),
    cost: z.object({ amount: z.number().nonnegative(), currency: z.string() }).nullish(),
  }),
]);
/** What an agent tells of its work, as far as anybody here cares. */
export type Update = z.output<typeof update>;

const notification = z.object({ update });

/**
 * Takes the updates out of what an agent sends, in the order they come. The SDK would print each that it does not understand to the
 * host's own standard error, as often as the agent likes; here those are passed over.
 */
export function withoutUpdates({ readable, writable }: Stream, take: (update: Update) => void): Stream {
  const rest = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!isUpdate(message)) return controller.enqueue(message);
      const found = notification.safeParse(message.params).data?.update;
      if (found !== undefined) take(found);
    },
  });
  return { readable: readable.pipeThrough(rest), writable };
}

function isUpdate(message: AnyMessage): message is AnyNotification {
  return 'method' in message && !('id' in message) && message.method === methods.client.session.update;
}
