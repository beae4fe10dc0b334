import type { Hooks } from 'patchbay-sdk';
import { ChatTurns } from './assistant/turns.ts';
import { collectWorkspaces } from './assistant/workspaces.ts';
import { type OpenMemory, openMemory } from './capabilities/index.ts';
import type { AssistantWorkspace } from './config/assistant-settings.ts';
import type { Project } from './config/project.ts';
import { Containers, selectedCore } from './containers/index.ts';
import type { LoadedPlugins } from './dialects/load.ts';
import type { Kernel } from './kernel/index.ts';
import type { LedgerStore } from './ledger/index.ts';
import { McpSupervisor } from './mcp/index.ts';
import type { Emitter } from './outbound/emitter.ts';
import { castingOf, roleOf } from './runs/casting.ts';
import { chatIn } from './runs/chat-run.ts';
import type { Tools } from './runs/turn-desk.ts';
import type { Launcher } from './sandbox/launcher.ts';
import { Services } from './services/index.ts';

/** What the surroundings of turns are made of. */
export interface SurroundingsParts {
  readonly kernel: Kernel<Hooks>;
  readonly project: Project;
  readonly plugins: LoadedPlugins;
  readonly ledger: LedgerStore;
  readonly emitter: Emitter;
  readonly launcher: Launcher;
  readonly env: NodeJS.ProcessEnv;
  readonly warn: (message: string) => void;
}

/** What turns reach besides files and programs of their own: workspaces, tools, servers, containers. */
export interface Surroundings {
  readonly workspaces: readonly AssistantWorkspace[];
  readonly turns: ChatTurns;
  readonly services: Services;
  readonly mcp: McpSupervisor;
  readonly containers: Containers;
  /** What a turn is given of all that. */
  readonly tools: Pick<Tools, 'openTools' | 'chatOf' | 'trace' | 'surround'>;
  /** Ends all of it. Never rejects. */
  close(): Promise<void>;
}

/** Finds out what there is; nothing is started before it is used. Throws PROJECT_INVALID. */
export async function openSurroundings(parts: SurroundingsParts): Promise<Surroundings> {
  const { kernel, project, plugins, ledger, emitter, launcher, env, warn } = parts;
  const { assistant } = project;
  const collected = await collectWorkspaces(kernel, assistant);
  for (const { plugin, folder, message } of collected.problems) {
    warn(`plugin "${plugin}"${folder === null ? '' : `, workspace "${folder}"`}: ${message}`);
  }
  const workspaces = collected.workspaces.map(({ workspace }) => workspace);
  const workspaceOf = (folder: string) => workspaces.find((one) => one.folder === folder);
  const turns = new ChatTurns();
  const containers = new Containers({ kernel, project: project.dir, settings: assistant.container, env, log: warn });
  const mcp = await McpSupervisor.open({
    kernel,
    project: project.dir,
    settings: assistant.mcpServers,
    workspaceOf,
    launcher,
    env,
    runtime: assistant.container.runtime,
    grantsOf: (plugin) => {
      const rights = plugins.rights.get(plugin);
      return rights === undefined || rights.own ? null : rights.grants;
    },
    warn,
  });
  const memory = openedOnce(() => openMemory(kernel, project.dir));
  const services = new Services({
    kernel,
    ledger,
    emitter,
    settings: assistant.services,
    workspaceOf,
    memory: memory.open,
    servers: mcp,
    warn,
  });
  const cores = await kernel.call('agentCore', {});
  const surround: Tools['surround'] = async (state, turn, job) => {
    const workspace = workspaceOf(chatIn(state.inputs)?.workspace ?? '');
    // What is no chat works in a worktree, confined as scripts are.
    if (workspace === undefined) return job;
    const { core: name } = castingOf(roleOf(state, turn.role), {
      ...project.runs,
      core: selectedCore(project.runs, env),
    });
    const core = cores.find((one) => one.name === name);
    const { run_id } = state;
    const { turn_id, dispatch } = turn;
    const facts = { run_id, turn_id, bundle: dispatch.bundle.path, ...(core === undefined ? {} : { core }) };
    return containers.surround(facts, workspace, job);
  };
  return {
    workspaces,
    turns,
    services,
    mcp,
    containers,
    tools: { openTools: services.open, chatOf: turns.chatOf, trace: turns.trace, surround },
    close: async () => {
      await services.close();
      await Promise.allSettled([mcp.close(), containers.close(), memory.close()]);
    },
  };
}

/** The memory of the project: opened when it is first used, again if that failed, and closed once. */
function openedOnce(open: () => Promise<OpenMemory | undefined>) {
  let opened: Promise<OpenMemory | undefined> | undefined;
  return {
    open: () => {
      opened ??= open().catch((error) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    close: async () => {
      await (await opened?.catch(() => undefined))?.memory.close();
    },
  };
}
