import { definePlugin, type MemoryCategory, type NewMessage, type ServiceRequest } from 'patchbay-sdk';
import { expectTypeOf } from 'vitest';

/** Members of what a plugin provides get their parameters from the table, too. */
export default definePlugin({
  name: 'provider',
  version: '1.0.0',
  provides: {
    memory: () => {
      const kept = new Map<string, string>();
      return {
        name: 'in-memory',
        save: async (group, key, content, category, metadata) => {
          expectTypeOf(group).toEqualTypeOf<string>();
          expectTypeOf(category).toEqualTypeOf<MemoryCategory>();
          expectTypeOf(metadata).toEqualTypeOf<Record<string, unknown> | null>();
          kept.set(`${group}/${key}`, content);
          return { key };
        },
        recall: async (group, query, category, limit) => {
          expectTypeOf(category).toEqualTypeOf<MemoryCategory | null>();
          expectTypeOf(limit).toEqualTypeOf<number>();
          return [{ key: query, content: kept.get(`${group}/${query}`) }];
        },
        forget: async (group, key) => ({ forgotten: kept.delete(`${group}/${key}`) }),
        listKeys: async () => [],
        init: async () => {},
        close: async () => {},
      };
    },
    serviceTools: () => ({
      echo: {
        description: 'Says it again',
        inputSchema: { type: 'object' },
        handler: (request) => {
          expectTypeOf(request).toEqualTypeOf<ServiceRequest>();
          expectTypeOf(request.request_id).toEqualTypeOf<string>();
          return { result: request['text'] };
        },
      },
      fail: { description: 'Fails', inputSchema: {}, handler: async () => ({ error: 'always' }) },
    }),
    skills: async () => ['/skills/one'],
    channel: ({ onMessage, registeredGroups, onReaction }) => {
      expectTypeOf(onMessage).toEqualTypeOf<(jid: string, message: NewMessage) => Promise<void>>();
      expectTypeOf(registeredGroups()['x']).toEqualTypeOf<
        { readonly folder: string; readonly name: string } | undefined
      >();
      expectTypeOf(onReaction).toEqualTypeOf<
        ((jid: string, messageId: string, reaction: string, sender: string) => void) | undefined
      >();
      return {
        name: 'terminal',
        connect: async () => {},
        sendMessage: async (jid, text) => {
          expectTypeOf(jid).toEqualTypeOf<string>();
          await onMessage(jid, { id: '1', sender: 'a', senderName: 'A', content: text, timestamp: '' });
        },
        isConnected: () => true,
        ownsJid: (jid) => jid.startsWith('terminal:'),
        disconnect: async () => {},
      };
    },
    tunnel: () => null,
    mcpServers: () => [
      { name: 'one', port: 8080 },
      { name: 'two', env: null },
    ],
    workspace: () => ({ folder: 'demo', config: { model: 'mock' } }),
  },
  hooks: {
    // The same hook, said the long way, with options.
    agentCore: { trylast: true, handler: () => ({ name: 'core', module: 'core', className: 'Core' }) },
  },
});
