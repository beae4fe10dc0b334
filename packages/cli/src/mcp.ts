import { findProject, Launcher, McpSupervisor, type ServerStatus } from 'patchbay-host';
import { type ErrorCode, messageOf, PatchbayError, type ServiceResponse, type ToolInfo } from 'patchbay-sdk';
import { beside } from './carry-on.ts';
import { type Locate, locating } from './chat/api.ts';
import type { Input } from './command.ts';

/** The MCP servers of a project, wherever they run. */
export interface Servers {
  /** Whether they run in a host that serves, and go on when this command ends. */
  readonly served: boolean;
  status(): Promise<readonly ServerStatus[]>;
  tools(name: string): Promise<readonly ToolInfo[]>;
  start(name: string): Promise<ServerStatus>;
  stop(name: string): Promise<ServerStatus>;
  call(name: string, tool: string, input: Readonly<Record<string, unknown>>): Promise<ServiceResponse>;
  logs(name: string, lines: number): Promise<readonly string[]>;
}

/** Lets `act` work with the servers: those of the host that serves the project, or of this process, which ends them after that. */
export async function withServers<T>(input: Input, act: (servers: Servers) => Promise<T>): Promise<T> {
  const project = findProject(input.cwd);
  if (project === undefined) {
    throw new PatchbayError('PROJECT_MISSING', `there is no project in ${input.cwd} nor above it`);
  }
  const locate = locating(project.dir);
  if (locate() !== undefined) return act(served(locate, input.signal));
  return beside(input, async ({ kernel }) => {
    const launcher = new Launcher({ project: project.dir });
    let mcp: McpSupervisor | undefined;
    try {
      mcp = await McpSupervisor.open({
        kernel,
        project: project.dir,
        settings: project.assistant.mcpServers,
        workspaceOf: () => undefined,
        launcher,
        env: process.env,
        warn: (message) => input.progress(`warning: ${message}`),
      });
      return await act(own(mcp, input.signal));
    } finally {
      await mcp?.close();
      await launcher.close();
    }
  });
}

function served(locate: Locate, signal: AbortSignal): Servers {
  const ask = <T>(method: string, path: string, body?: object) => asked<T>(locate, signal, method, path, body);
  const at = (name: string) => `/${encodeURIComponent(name)}`;
  return {
    served: true,
    status: async () => (await ask<{ items: ServerStatus[] }>('GET', '')).items,
    tools: async (name) => (await ask<{ items: ToolInfo[] }>('GET', `${at(name)}/tools`)).items,
    start: (name) => ask('POST', `${at(name)}/start`),
    stop: (name) => ask('POST', `${at(name)}/stop`),
    call: (name, tool, input) => ask('POST', `${at(name)}/call`, { tool, input }),
    logs: async (name, lines) => (await ask<{ lines: string[] }>('GET', `${at(name)}/log?lines=${lines}`)).lines,
  };
}

/** Asks the host, for as long as it takes: a server may have to be started first. */
async function asked<T>(locate: Locate, signal: AbortSignal, method: string, path: string, body?: object): Promise<T> {
  const { url, token } = locate() ?? { url: '', token: '' };
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init = { method, signal, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  let answer: Response;
  let said: T & { readonly error?: Said | string };
  try {
    answer = await fetch(`${url}/api/v1/mcp${path}`, init);
    said = (await answer.json()) as typeof said;
  } catch (cause) {
    throw new PatchbayError('HOST_GONE', `the host at ${url} did not answer: ${messageOf(cause)}`, { cause });
  }
  if (answer.ok) return said;
  const { code, message, hint } = said.error as Said;
  throw new PatchbayError(code, message, { hint });
}

/** What the API says of what it does not take. */
interface Said {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

function own(mcp: McpSupervisor, signal: AbortSignal): Servers {
  return {
    served: false,
    status: async () => mcp.status(),
    tools: (name) => mcp.tools(name),
    start: (name) => mcp.start(name),
    stop: (name) => mcp.stop(name),
    call: async (name, tool, input) => mcp.called(name, tool, input, signal),
    logs: async (name, lines) => mcp.logs(name, lines),
  };
}

/** What people see of a server in one row. */
export function serverRow({ name, state, type, pid, port, restarts, idle_since, last_error }: ServerStatus): string[] {
  const facts = [
    ...(pid === null ? [] : [`pid ${pid}`]),
    ...(port === null ? [] : [`port ${port}`]),
    ...(restarts === 0 ? [] : [restarts === 1 ? '1 restart' : `${restarts} restarts`]),
    ...(idle_since === null ? [] : [`idle since ${idle_since}`]),
  ];
  const isWell = state === 'running' || state === 'stopped' || last_error === null;
  return [name, type, state, [...facts, ...(isWell ? [] : [last_error])].join(', ')];
}
