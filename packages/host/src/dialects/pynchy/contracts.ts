import type { CapabilityName, EventBus, NewMessage, Payload } from 'patchbay-sdk';
import { camel, snake } from './names.ts';

type Members = Readonly<Record<string, unknown>>;
type Call = (...args: unknown[]) => unknown;

/** What an implementation is called with, and what becomes of its answer. */
interface Contract {
  /** @default nothing */
  readonly given?: (payload: never) => readonly unknown[];
  readonly taken: (answer: Members) => unknown;
}

/** How each capability is translated: what the plugin is given into the document's words, what it gives into ours. */
export const contracts: { readonly [C in CapabilityName]?: Contract } = {
  agentCore: { taken: renamed },
  serviceTools: { taken: (answer) => toolsOf(answer) },
  skills: { taken: (answer) => answer },
  channel: {
    given: (payload: Payload<'channel'>) => [contextOf(payload)],
    taken: (answer) =>
      speaking(
        answer,
        ['connect', 'send_message', 'is_connected', 'owns_jid', 'disconnect', 'set_typing', 'create_group'],
        ['prefix_assistant_name'],
      ),
  },
  containerRuntime: {
    taken: (answer) =>
      speaking(answer, ['is_available', 'ensure_running', 'list_running_containers', 'command', 'remove'], ['cli']),
  },
  tunnel: { taken: (answer) => speaking(answer, ['is_available', 'is_connected', 'status_summary']) },
  observer: { taken: observerOf },
  memory: {
    taken: (answer) =>
      speaking(answer, ['save', 'recall', 'forget', 'list_keys', 'history', 'export', 'import', 'init', 'close']),
  },
  mcpServers: { taken: (answer) => (Array.isArray(answer) ? answer.map(renamed) : renamed(answer)) },
  workspace: { taken: ({ folder, config }) => ({ folder, config: config ?? {} }) },
};

/** A member under the document's name, or under ours. */
function member(of: Members, name: string): unknown {
  return of[name] ?? of[camel(name)];
}

/** An object of ours whose functions are those of theirs, called on it. What it does not have, ours does not have. */
function speaking(theirs: Members, functions: readonly string[], values: readonly string[] = []): Members {
  const has = [...functions, ...values].filter((name) => member(theirs, name) !== undefined);
  const entries = has.map((name): [string, unknown] => {
    const its = member(theirs, name);
    return [camel(name), typeof its === 'function' ? (...args: unknown[]) => (its as Call).apply(theirs, args) : its];
  });
  return { name: theirs['name'], ...Object.fromEntries(entries) };
}

/** Data, with names as TypeScript writes them. */
function renamed(data: Members): Members {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [camel(key), value]));
}

function toolsOf({ tools }: Members): unknown {
  if (typeof tools !== 'object' || tools === null) return tools;
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      return [name, typeof tool === 'object' && tool !== null ? renamed(tool as Members) : tool];
    }),
  );
}

/** Under both names, so that a plugin may be written either way. */
function contextOf(ours: Payload<'channel'>): Members {
  const heard = (jid: string, { senderName, sender_name, ...message }: NewMessage & { sender_name?: string }) =>
    ours.onMessage(jid, { ...message, senderName: senderName ?? sender_name ?? message.sender });
  const both: Members = { ...ours, onMessage: heard };
  const named = Object.fromEntries(Object.entries(both).map(([key, value]) => [snake(key), value]));
  return Object.freeze({
    ...both,
    ...named,
    on_message_callback: heard,
    on_chat_metadata_callback: ours.onChatMetadata,
    on_reaction_callback: ours.onReaction ?? null,
  });
}

function observerOf(theirs: Members): Members {
  const { subscribe, ...rest } = speaking(theirs, ['subscribe', 'close']);
  if (typeof subscribe !== 'function') return { ...rest, subscribe };
  return { ...rest, subscribe: (bus: EventBus) => (subscribe as Call)(busOf(bus)) };
}

/** Takes classes for events too: they stand for their names. */
function busOf(bus: EventBus): EventBus {
  return {
    subscribe: (event: unknown, listener) =>
      bus.subscribe(typeof event === 'function' ? event.name : (event as string), listener),
  };
}
