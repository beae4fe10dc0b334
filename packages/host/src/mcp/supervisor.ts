import { type Hooks, PatchbayError, type ServiceResponse, suggestion, type ToolInfo } from 'patchbay-sdk';
import type { AssistantSettings, AssistantWorkspace } from '../config/assistant-settings.ts';
import { type Kernel, newRecord } from '../kernel/index.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import type { ServerTools } from '../services/index.ts';
import { isAllowed } from './access.ts';
import { CliRunner, type ContainerRunner, containerCli } from './containers.ts';
import { failed, unknownServer } from './failed.ts';
import { type Patience, usualPatience } from './failures.ts';
import type { GrantsOf } from './grants.ts';
import { Ports } from './ports.ts';
import { type ServerStatus, SupervisedServer } from './server.ts';
import { readServerLog } from './server-log.ts';
import { type Brought, specsOf, type Unusable } from './specs.ts';

/** What a supervisor works with. */
export interface SupervisorParts {
  readonly kernel: Kernel<Hooks>;
  /** The folder of the project. */
  readonly project: string;
  /** What the project says of servers. */
  readonly settings: AssistantSettings['mcpServers'];
  /** The workspace of a folder; undefined if there is none. */
  readonly workspaceOf: (
    folder: string,
  ) => Pick<AssistantWorkspace, 'mcpServers'> | undefined | Promise<Pick<AssistantWorkspace, 'mcpServers'> | undefined>;
  readonly launcher: Launcher;
  /** The environment of which servers see what is forwarded to them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What plugins were granted; what they were not, their servers do not get. @default all are the project's own */
  readonly grantsOf?: GrantsOf;
  /** The runtime of containers that the project names. @default null: Podman, or else Docker */
  readonly runtime?: string | null;
  /** What runs servers of type docker. @default the command of that runtime */
  readonly containers?: () => Promise<ContainerRunner>;
  /** Hears what is wrong with servers. @default nobody does */
  readonly warn?: (message: string) => void;
  /** How long a server may take until it answers. @default 30 seconds */
  readonly probeMs?: number;
  /** How servers that fail are treated. @default `usualPatience` */
  readonly patience?: Patience;
}

/** Starts, watches and stops the MCP servers of a project, and speaks with them. */
export class McpSupervisor implements ServerTools {
  readonly #parts: SupervisorParts;
  readonly #servers: ReadonlyMap<string, SupervisedServer>;
  readonly #unusable: readonly Unusable[];

  private constructor(parts: SupervisorParts, servers: readonly SupervisedServer[], unusable: readonly Unusable[]) {
    this.#parts = parts;
    this.#servers = new Map(servers.map((server) => [server.spec.name, server]));
    this.#unusable = unusable;
  }

  /**
   * Finds out which servers there are; none is started. What plugins say wrongly costs their servers, and is told to `warn`. Throws
   * PROJECT_INVALID with all that is wrong in the project.
   */
  static async open(parts: SupervisorParts): Promise<McpSupervisor> {
    const { kernel, project, settings, launcher, env, warn = () => undefined } = parts;
    const record = newRecord();
    await kernel.call('mcpServers', {}, { record });
    const { servers, unusable, misspelt, notes } = specsOf(record.answers.flatMap(broughtIn), settings, parts.grantsOf);
    // A server whose plugin failed lacks what that would have said of it: no mistake of the project.
    const own = record.failures.length > 0 ? [] : unusable.filter(({ plugin }) => plugin === null);
    const wrong = [...misspelt, ...own.flatMap(({ problems }) => problems)];
    if (wrong.length > 0) throw invalid(wrong);
    for (const note of notes) warn(note);
    for (const { name, plugin, problems } of unusable) warn(told(name, plugin, problems));
    const containers =
      parts.containers ?? (async () => new CliRunner(containerCli(parts.runtime ?? null), project, launcher, env));
    const { probeMs = 30_000, patience = usualPatience } = parts;
    const shared = { project, launcher, env, warn, containers, probeMs, patience, ports: new Ports() };
    const supervised = servers.map((spec) => new SupervisedServer(spec, shared));
    return new McpSupervisor(parts, supervised, unusable);
  }

  /** Those of all servers that a workspace may use and that can be started. Never rejects. */
  async list(workspace: string | null): Promise<readonly (ToolInfo & { readonly server: string })[]> {
    const entries = await this.#entriesOf(workspace);
    const servers = [...this.#servers.values()].filter(({ spec }) => isAllowed(spec.name, entries));
    const listed = servers.map(async (server) => {
      try {
        return (await server.tools()).map((tool) => ({ ...tool, server: server.spec.name }));
      } catch {
        // It has been told to `warn`, and stands in its log.
        return [];
      }
    });
    return (await Promise.all(listed)).flat();
  }

  /** Calls a tool: whether that may be has been decided. Never rejects. */
  async call(
    server: string,
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ServiceResponse> {
    const known = this.#servers.get(server);
    return known === undefined ? { error: this.#unknown(server).message } : known.call(tool, input, signal);
  }

  /** The same for people, who may have the name wrong. Throws MCP_UNKNOWN, and MCP_FAILED for one that cannot be used at all. */
  called(...[server, tool, input, signal]: Parameters<ServerTools['call']>): Promise<ServiceResponse> {
    return this.#server(server).call(tool, input, signal);
  }

  /** Where all servers stand, by name. */
  status(): readonly ServerStatus[] {
    const running = [...this.#servers.values()].map((server) => server.status());
    return [...running, ...this.#unusable.map(statusOfUnusable)].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The tools of a server, which is started if need be. Throws MCP_UNKNOWN, MCP_FAILED. */
  tools(name: string): Promise<readonly ToolInfo[]> {
    return this.#server(name).tools();
  }

  /** Starts a server, however often it has failed. Throws MCP_UNKNOWN, MCP_FAILED. */
  async start(name: string): Promise<ServerStatus> {
    const server = this.#server(name);
    await server.start();
    return server.status();
  }

  /** Stops a server until somebody asks it for something. Throws MCP_UNKNOWN. */
  async stop(name: string): Promise<ServerStatus> {
    const server = this.#server(name);
    await server.stop();
    return server.status();
  }

  /** The last lines of the log of a server. Throws MCP_UNKNOWN. */
  logs(name: string, lines = 200): string[] {
    if (this.#unusable.some((one) => one.name === name)) return [];
    return readServerLog(this.#parts.project, this.#server(name).spec.name, lines);
  }

  /** Stops all servers; nothing of them is left when it resolves. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  async #entriesOf(workspace: string | null): Promise<readonly string[]> {
    if (workspace === null) return [];
    return (await this.#parts.workspaceOf(workspace))?.mcpServers ?? [];
  }

  #server(name: string): SupervisedServer {
    const known = this.#servers.get(name);
    if (known !== undefined) return known;
    throw this.#unknown(name);
  }

  #unknown(name: string): PatchbayError {
    const unusable = this.#unusable.find((one) => one.name === name);
    if (unusable !== undefined) return failed(told(name, unusable.plugin, unusable.problems));
    return unknownServer(`there is no MCP server "${name}": ${suggestion(name, [...this.#servers.keys()])}`);
  }
}

/** A plugin brings one server, or a list of them. */
function broughtIn({ plugin, answer }: { readonly plugin: string; readonly answer: unknown }): Brought[] {
  const list = Array.isArray(answer) ? answer : [answer];
  return list.map((spec) => ({ plugin, spec: spec as Brought['spec'] }));
}

function told(name: string, plugin: string | null, problems: Unusable['problems']): string {
  const whose = plugin === null ? '' : ` of plugin "${plugin}"`;
  return `MCP server "${name}"${whose} cannot be used: ${problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}`;
}

function invalid(problems: Unusable['problems']): PatchbayError {
  const all = problems.map(({ path, message }) => `"${path}": ${message}`).join('; ');
  return new PatchbayError('PROJECT_INVALID', `the MCP servers of the project are not right: ${all}`, {
    field: problems[0]?.path,
    problems,
    hint: 'Correct what it names; docs/mcp-servers.md lists the fields.',
  });
}

function statusOfUnusable({ name, plugin, problems }: Unusable): ServerStatus {
  const nothing = { pid: null, port: null, restarts: 0, running_since: null, idle_since: null };
  const last_error = told(name, plugin, problems);
  return { name, type: 'script', transport: 'streamable_http', plugin, state: 'invalid', ...nothing, last_error };
}
