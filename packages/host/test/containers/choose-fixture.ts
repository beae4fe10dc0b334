import { type AnyPlugin, type ContainerRuntime, definePlugin } from 'patchbay-sdk';

/** A runtime that can be used and has run nothing, but for these members. */
export function runtimeOf(name: string, members: Partial<ContainerRuntime> = {}): ContainerRuntime {
  return {
    name,
    cli: `${name}-cli`,
    isAvailable: () => true,
    ensureRunning: () => {},
    listRunningContainers: () => [],
    command: ({ argv, env }) => ({ argv: [...argv], env: { ...env } }),
    remove: () => {},
    ...members,
  };
}

/** A plugin that provides it. */
export function pluginOf(name: string, members: Partial<ContainerRuntime> = {}, plugin = `their-${name}`): AnyPlugin {
  return definePlugin({
    name: plugin,
    version: '1.0.0',
    provides: { containerRuntime: () => runtimeOf(name, members) },
  });
}

/** Not to be used here. */
export const absent: Partial<ContainerRuntime> = {
  isAvailable: () => false,
  ensureRunning: () => {
    throw new Error('its service does not run; start it');
  },
};
