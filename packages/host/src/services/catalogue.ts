import { type Hooks, messageOf, type ServiceRequest, type ServiceTool } from 'patchbay-sdk';
import { inTime } from '../capabilities/in-time.ts';
import type { OpenMemory } from '../capabilities/index.ts';
import type { Kernel } from '../kernel/index.ts';
import { memoryTools } from './memory-tools.ts';
import { anyObject, type ServerTools, type Tool, toolName } from './tool.ts';

/** Where tools come from. */
export interface CatalogueParts {
  readonly kernel: Kernel<Hooks>;
  /** The memory of the project, made ready at the first call; undefined if there is none. */
  readonly memory: () => Promise<OpenMemory | undefined>;
  readonly servers?: ServerTools | undefined;
  /** Hears what should be put in order, each thing once. */
  readonly warn: (message: string) => void;
}

/** Plugins that were asked before may take so long; then what they said is taken again. */
const patienceMs = 1000;
/** What stands between the name of a server and that of its tool. */
const between = '__';
const mostDescription = 4096;

/** All tools that turns may have, from plugins, the memory and MCP servers. Asked anew each time: a plugin may have come or gone. */
export class Catalogue {
  readonly #parts: CatalogueParts;
  readonly #warned = new Set<string>();
  #asking: Promise<readonly Tool[]> | undefined;
  #last: readonly Tool[] | undefined;

  constructor(parts: CatalogueParts) {
    this.#parts = parts;
  }

  /** The tools of turns in a workspace, by name. What cannot be had is left out. Never rejects. */
  async of(workspace: string | null): Promise<ReadonlyMap<string, Tool>> {
    const given = await Promise.all([this.#ofMemory(workspace), this.#ofServers(workspace), this.#ofPlugins()]);
    const tools = new Map<string, Tool>();
    for (const tool of given.flat()) {
      const other = tools.get(tool.name);
      if (other !== undefined) this.#conflict(tool.name, called(tool), [called(other)]);
      tools.set(tool.name, tool);
    }
    return tools;
  }

  /** The tool of a name, or undefined. Servers are asked, and perhaps started for it, only if it could be theirs. Never rejects. */
  async find(workspace: string | null, name: string): Promise<Tool | undefined> {
    const named = (tools: readonly Tool[]) => tools.findLast((tool) => tool.name === name);
    const own = named(await this.#ofPlugins());
    if (own !== undefined) return own;
    const ofServer = name.includes(between) ? named(await this.#ofServers(workspace)) : undefined;
    return ofServer ?? named(await this.#ofMemory(workspace));
  }

  async #ofMemory(workspace: string | null): Promise<readonly Tool[]> {
    try {
      const open = await this.#parts.memory();
      return open === undefined ? [] : memoryTools(open, workspace);
    } catch (error) {
      this.#warn(`agents have no memory: ${messageOf(error)}`);
      return [];
    }
  }

  async #ofServers(workspace: string | null): Promise<readonly Tool[]> {
    const { servers } = this.#parts;
    if (servers === undefined) return [];
    try {
      const listed = await servers.list(workspace);
      return listed.map(({ server, name: its, description, inputSchema }) => ({
        name: `${server}${between}${its}`.replaceAll(/[^\w-]/g, '_').slice(0, 128),
        description: description.slice(0, mostDescription),
        inputSchema,
        source: { kind: 'server', name: server },
        traits: [],
        usualTier: undefined,
        run: ({ type: _, request_id: __, ...input }, signal) => servers.call(server, its, input, signal),
      }));
    } catch (error) {
      this.#warn(`the tools of MCP servers cannot be listed: ${messageOf(error)}`);
      return [];
    }
  }

  async #ofPlugins(): Promise<readonly Tool[]> {
    if (this.#asking === undefined) {
      const done = () => {
        this.#asking = undefined;
      };
      this.#asking = this.#ask();
      this.#asking.then(done, done);
    }
    const asking = this.#asking;
    const last = this.#last;
    const tools = await (last === undefined ? asking : inTime(patienceMs, () => asking).catch(() => last));
    // What was said before may be of a plugin that is not there any more.
    const there = new Set(this.#parts.kernel.plugins());
    return tools.filter(({ source }) => there.has(source.name));
  }

  async #ask(): Promise<readonly Tool[]> {
    const { entries, owners, conflicts } = await this.#parts.kernel.call('serviceTools', {});
    for (const { key, winner, losers } of conflicts) this.#conflict(key, `plugin "${winner}"`, losers.map(quoted));
    const tools = Object.entries(entries).flatMap(([name, tool]) => {
      const plugin = owners[name] ?? '';
      if (toolName.test(name)) return [toolOf(name, tool as ServiceTool, plugin)];
      this.#warn(`plugin "${plugin}": a tool cannot be called ${JSON.stringify(name.slice(0, 200))}; it is left out`);
      return [];
    });
    this.#last = tools;
    return tools;
  }

  #conflict(name: string, winner: string, losers: readonly string[]): void {
    this.#warn(`tool "${name}" comes from several: ${winner} is used, not ${losers.join(', ')}`);
  }

  #warn(message: string): void {
    if (this.#warned.has(message) || this.#warned.size > 1000) return;
    this.#warned.add(message);
    this.#parts.warn(message);
  }
}

function toolOf(name: string, tool: ServiceTool, plugin: string): Tool {
  const common = { name, source: { kind: 'plugin', name: plugin }, usualTier: undefined } as const;
  if (typeof tool === 'function') {
    const run = (request: ServiceRequest) => tool(request);
    return { ...common, description: name.replaceAll(/[_-]+/g, ' '), inputSchema: anyObject, traits: [], run };
  }
  const { traits = [] } = tool;
  const description = tool.description.slice(0, mostDescription);
  // Agents are told schemas of objects only: what is called has named fields.
  const inputSchema = { ...tool.inputSchema, type: 'object' };
  return { ...common, description, inputSchema, traits, run: (request) => tool.handler(request) };
}

const quoted = (plugin: string) => `plugin "${plugin}"`;

function called({ source: { kind, name } }: Tool): string {
  return kind === 'memory' ? 'the memory' : `${kind} "${name}"`;
}
