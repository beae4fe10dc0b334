import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { definePlugin, hooks } from 'patchbay-sdk';
import { onTestFinished, vi } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { fromDefinition } from '../../src/dialects/native.ts';
import { Kernel } from '../../src/kernel/index.ts';
import { McpSupervisor, type SupervisorParts } from '../../src/mcp/index.ts';
import { Launcher } from '../../src/sandbox/launcher.ts';

/** The real server of the protocol's authors. */
export const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

/** It, over its standard input and output. */
export const overStdio = { command: process.execPath, args: [everything, 'stdio'], transport: 'stdio' };
/** It, on a port. */
export const overHttp = { command: process.execPath, args: [everything, 'streamableHttp'] };

type Servers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Given = Partial<SupervisorParts> & {
  readonly plugins?: readonly { readonly name: string; readonly servers: () => unknown }[];
};

/** A supervisor with what it was told of servers. */
export interface Supervised {
  readonly mcp: McpSupervisor;
  readonly project: string;
  readonly warnings: string[];
  readonly close: () => Promise<void>;
}

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A supervisor of these servers, closed at the end of the test. Its workspace `home` may use all of them. */
export async function supervise(settings: Servers, { plugins = [], ...given }: Given = {}): Promise<Supervised> {
  const project = given.project ?? folder();
  const kernel = new Kernel(hooks);
  for (const { name, servers } of plugins) {
    const provides = { mcpServers: servers as () => never };
    kernel.register(fromDefinition(definePlugin({ name, version: '1.0.0', provides }), {}, () => log));
  }
  const launcher = given.launcher ?? new Launcher({ project });
  const warnings: string[] = [];
  const closing = async (mcp?: McpSupervisor) => {
    await mcp?.close();
    await launcher.close();
  };
  try {
    const mcp = await McpSupervisor.open({
      kernel,
      project,
      settings,
      workspaceOf: (name) => (name === 'home' ? { mcpServers: ['*'] } : undefined),
      env: process.env,
      warn: (message) => void warnings.push(message),
      probeMs: 20_000,
      ...given,
      launcher,
    });
    const close = () => closing(mcp);
    onTestFinished(close);
    return { mcp, project, warnings, close };
  } catch (error) {
    await closing();
    throw error;
  }
}

/** A server in JavaScript that answers as it is told: `answer` is a body of a function of the message, which may call `say`. */
export function scripted(answer: string): { command: string; args: string[]; transport: string } {
  const program = `
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const hello = (id) => say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 's', version: '1' } } });
    const tool = (name) => ({ name, inputSchema: { type: 'object' } });
    const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
    let calls = 0;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      ${answer}
    });`;
  return { command: process.execPath, args: ['-e', program], transport: 'stdio' };
}

export const usual = `
  if (method === 'initialize') hello(id);
  if (method === 'tools/list') say({ id, result: { tools: [tool('echo')] } });
`;

/** The processes that have a word in their command line or their environment. */
export function running(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => ['cmdline', 'environ'].some((file) => textOf(`/proc/${pid}/${file}`).includes(word)))
    .map(Number);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Waits for what no event tells. */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: 60_000, interval: 50 });
}

export const now = new AbortController().signal;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
