import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpAccess } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';

/** The ways in which an agent reaches the tools of its turn: by either transport, in either era of the protocol. */
export const ways = [
  ['HTTP', 'modern'],
  ['HTTP', 'legacy'],
  ['stdio', 'modern'],
  ['stdio', 'legacy'],
] as const;

/** A real client that is connected in this way. */
export async function connected(
  { url, token, command: [program = '', ...args] }: McpAccess,
  [transport, era]: (typeof ways)[number],
): Promise<Client> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    transport === 'HTTP'
      ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
      : new StdioClientTransport({ command: program, args }),
  );
  onTestFinished(() => client.close());
  return client;
}
