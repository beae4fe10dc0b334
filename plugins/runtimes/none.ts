import type { ContainerRuntime } from 'patchbay-sdk';

/** No container at all: programs run as they are. Nobody gets it who has not named it. */
export const none: ContainerRuntime = {
  name: 'none',
  cli: '',
  isAvailable: () => true,
  ensureRunning: () => {},
  listRunningContainers: () => [],
  command: ({ argv, env }) => ({ argv, env }),
  remove: () => {},
  limits: () => ({ cpus: false, memoryMb: false, pids: false }),
};
