import { serve } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

// A server of the newest protocol, which may refuse those who speak an older one.
const [transport = '', legacy = ''] = process.argv.slice(2);

function make(): McpServer {
  const server = new McpServer({ name: 'modern', version: '1.0.0' });
  server.registerTool('hello', { description: 'Says hello' }, async () => ({
    content: [{ type: 'text', text: 'hello' }],
  }));
  return server;
}

if (transport === 'stdio') {
  serveStdio(make, { legacy: legacy === 'reject' ? 'reject' : 'serve' });
} else {
  const handler = createMcpHandler(make, { legacy: legacy === 'reject' ? 'reject' : 'stateless' });
  serve({ fetch: (request) => handler.fetch(request), port: Number(process.env['PORT']), hostname: '127.0.0.1' });
}
