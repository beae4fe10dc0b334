import * as z from 'zod/mini';
import type { McpSupervisor } from '../../mcp/index.ts';
import { Refused } from '../refused.ts';
import { type ApiParts, type Route, route } from '../route.ts';
import { count, json, maybe, text, words } from '../schemas.ts';

const part = '[A-Za-z0-9][A-Za-z0-9_-]{0,63}';
const serverName = text.check(
  z.regex(new RegExp(`^${part}(?:\\.${part})?$`), { error: 'is not the name of an MCP server' }),
);
const params = z.strictObject({ server: serverName });
const server = z.object({
  name: text,
  type: z.enum(['docker', 'script', 'url']),
  transport: z.enum(['stdio', 'streamable_http', 'sse']),
  plugin: maybe,
  state: z.enum(['stopped', 'starting', 'running', 'waiting', 'failed', 'invalid']),
  pid: z.nullable(count),
  port: z.nullable(count),
  restarts: count,
  last_error: maybe,
  running_since: maybe,
  idle_since: maybe,
});
const tool = z.object({ name: text, description: text, inputSchema: json });

/** Whoever calls by hand has this long. */
const callMs = 10 * 60_000;

function supervisorOf({ mcp }: ApiParts): McpSupervisor {
  if (mcp !== undefined) return mcp;
  throw new Refused(404, 'REQUEST_UNKNOWN', 'this host has no MCP servers');
}

export const mcpRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/mcp',
    summary: 'The MCP servers of the project, and where they stand.',
    answer: z.object({ items: z.array(server) }),
    handle: (_, { mcp }) => ({ items: [...(mcp?.status() ?? [])] }),
  }),
  route({
    method: 'get',
    path: '/mcp/{server}/tools',
    summary: 'The tools of an MCP server, which is started if need be.',
    params,
    answer: z.object({ items: z.array(tool) }),
    handle: async ({ params: { server } }, parts) => ({ items: [...(await supervisorOf(parts).tools(server))] }),
  }),
  route({
    method: 'get',
    path: '/mcp/{server}/log',
    summary: 'The last lines of what an MCP server printed, and of what became of it.',
    params,
    query: z.strictObject({
      lines: z._default(z.coerce.number<string>().check(z.int(), z.minimum(1), z.maximum(10_000)), 200),
    }),
    answer: z.object({ lines: z.array(text) }),
    handle: ({ params: { server }, query: { lines } }, parts) => ({ lines: supervisorOf(parts).logs(server, lines) }),
  }),
  route({
    method: 'post',
    path: '/mcp/{server}/start',
    summary: 'Starts an MCP server, however often it has failed.',
    params,
    answer: server,
    handle: ({ params: { server } }, parts) => supervisorOf(parts).start(server),
  }),
  route({
    method: 'post',
    path: '/mcp/{server}/stop',
    summary: 'Stops an MCP server until somebody asks it for something.',
    params,
    answer: server,
    handle: ({ params: { server } }, parts) => supervisorOf(parts).stop(server),
  }),
  route({
    method: 'post',
    path: '/mcp/{server}/call',
    summary: 'Calls a tool of an MCP server for whoever holds the token: policy is not asked.',
    params,
    body: z.strictObject({ tool: words(256), input: z._default(json, {}) }),
    answer: z.object({ result: z.optional(z.unknown()), error: z.optional(text) }),
    handle: ({ params: { server }, body: { tool, input } }, parts) => {
      return supervisorOf(parts).called(server, tool, input, AbortSignal.timeout(callMs));
    },
  }),
];
