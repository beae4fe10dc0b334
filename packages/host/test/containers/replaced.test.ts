import { definePlugin } from 'patchbay-sdk';
import { expect, it } from 'vitest';
import { chooseRuntime } from '../../src/containers/index.ts';
import { pluginOf } from './choose-fixture.ts';
import { Den, kernelOf } from './fixture.ts';
import { builtins } from './settings.ts';

it('a third-party runtime of the name of a built-in takes its place', async () => {
  const kernel = await kernelOf([...builtins, pluginOf('bubblewrap')]);
  expect(await chooseRuntime(kernel, null, 'linux')).toMatchObject({ name: 'bubblewrap', plugin: 'their-bubblewrap' });
});

it('a third-party runtime runs the programs of workspaces, lists what is left and removes it', async () => {
  const calls: string[] = [];
  const left = new Set<string>();
  const theirs = definePlugin({
    name: 'theirs',
    version: '1.0.0',
    provides: {
      containerRuntime: () => ({
        name: 'jail',
        cli: 'jail',
        isAvailable: async () => true,
        ensureRunning: async () => void calls.push('ensureRunning'),
        listRunningContainers: async (prefix: string) => [...left].filter((name) => name.startsWith(prefix)),
        command: async ({ name, argv, env, network }) => {
          calls.push(`command ${network}`);
          left.add(name);
          return { argv: ['/usr/bin/env', 'JAILED=yes', ...argv], env: { ...env } };
        },
        remove: async (name: string) => void left.delete(name),
      }),
    },
  });
  const den = await Den.open({ runtime: 'jail' }, [...builtins, theirs]);
  expect(await den.containers.start()).toBe('jail');
  expect(await den.sh('echo $JAILED; pwd', { container: { network: 'none' } })).toBe(`yes\n${den.workspace}`);
  expect(calls).toEqual(['ensureRunning', 'command none']);
  expect(left.size).toBe(1);
  await den.containers.close();
  expect(left.size).toBe(0);
});
