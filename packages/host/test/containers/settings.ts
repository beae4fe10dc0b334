import type { AnyPlugin } from 'patchbay-sdk';
import { applePlugin, bubblewrapPlugin, dockerPlugin, nonePlugin, podmanPlugin } from 'plugin-runtimes';
import type { AssistantWorkspace } from '../../src/config/assistant-settings.ts';

/** Those that come with the command, in its order. */
export const builtins: readonly AnyPlugin[] = [bubblewrapPlugin, podmanPlugin, dockerPlugin, applePlugin, nonePlugin];

/** A workspace of which nothing is said but this of its container. */
export function workspaceWith(container: Partial<AssistantWorkspace['container']> = {}): AssistantWorkspace {
  return {
    folder: 'den',
    name: 'den',
    chats: [],
    senders: null,
    core: null,
    skills: null,
    mcpServers: [],
    disabledTools: [],
    contextMode: 'shared',
    schedule: null,
    repoAccess: false,
    container: {
      ...{ runtime: null, image: null, network: 'host', mounts: [], cpus: null, memoryMb: null, pids: null },
      ...container,
    },
  };
}
