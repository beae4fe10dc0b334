import type { AnyPlugin, ContainerRuntime } from 'patchbay-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseRuntime, runtimeStatus } from '../../src/containers/index.ts';
import { pluginOf } from './choose-fixture.ts';
import { Den, kernelOf } from './fixture.ts';
import { builtins } from './settings.ts';

afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => {});
const thrown = () => {
  throw new Error('on purpose');
};
/** Plugins whose hook itself is hostile. */
const hooks: readonly [string, () => unknown][] = [
  ['throws', thrown],
  ['answers nonsense', () => 'docker'],
  ['answers an object without members', () => ({ name: 'x' })],
  ['rejects', () => Promise.reject(new Error('on purpose'))],
];

describe('a plugin whose hook', () => {
  it.each(hooks)('%s takes nothing away from the others', async (_, containerRuntime) => {
    const hostile = { name: 'hostile', version: '1.0.0', provides: { containerRuntime } } as unknown as AnyPlugin;
    const kernel = await kernelOf([pluginOf('podman'), hostile, pluginOf('docker')]);
    expect((await runtimeStatus(kernel)).map(({ name }) => name)).toEqual(['docker', 'podman']);
    expect((await chooseRuntime(kernel, null, 'linux')).name).toBe('podman');
  });

  it('never settles takes nothing away from the others', async () => {
    const hostile = {
      name: 'hostile',
      version: '1.0.0',
      provides: { containerRuntime: never },
    } as unknown as AnyPlugin;
    const kernel = await kernelOf([pluginOf('podman'), hostile]);
    vi.useFakeTimers();
    const asked = chooseRuntime(kernel, null, 'linux');
    await vi.advanceTimersByTimeAsync(120_000);
    vi.useRealTimers();
    expect((await asked).name).toBe('podman');
  });
});

describe('a runtime that does not say whether it is available:', () => {
  it.each([
    ['it throws', thrown, 'on purpose'],
    ['it rejects', () => Promise.reject(new Error('on purpose')), 'on purpose'],
    ['it answers nonsense', () => 'perhaps' as unknown as boolean, 'answered nonsense'],
  ])('%s, and the next one is taken', async (_, isAvailable, problem) => {
    const kernel = await kernelOf([pluginOf('bubblewrap', { isAvailable }), pluginOf('docker')]);
    expect((await chooseRuntime(kernel, null, 'linux')).name).toBe('docker');
    const [, status] = await runtimeStatus(kernel);
    expect(status).toMatchObject({ name: 'bubblewrap', available: false });
    expect(status?.problem).toContain(`"bubblewrap" of plugin "their-bubblewrap", isAvailable: ${problem}`);
  });

  it('it hangs, and the next one is taken', async () => {
    const kernel = await kernelOf([pluginOf('bubblewrap', { isAvailable: never }), pluginOf('docker')]);
    vi.useFakeTimers();
    const asked = chooseRuntime(kernel, null, 'linux');
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect((await asked).name).toBe('docker');
  });
});

describe('a runtime that was chosen and', () => {
  const nonsense = (value: unknown) => () => value as never;
  const cases: readonly [string, Partial<ContainerRuntime>, RegExp][] = [
    ['whose command throws', { command: thrown }, /"jail" of plugin "their-jail", command: on purpose/],
    ['whose command is none', { command: nonsense({ argv: [], env: {} }) }, /command: answered nonsense/],
    ['whose command has odd words', { command: nonsense({ argv: ['a', 1], env: {} }) }, /command: answered nonsense/],
    [
      'whose command has an odd environment',
      { command: nonsense({ argv: ['a'], env: { A: 1 } }) },
      /answered nonsense/,
    ],
    ['that cannot be made to run', { ensureRunning: thrown }, /ensureRunning: on purpose/],
  ];
  it.each(cases)('%s fails the program that was to run in it, and no other', async (_, members, why) => {
    const den = await Den.open({}, [...builtins, pluginOf('jail', members)]);
    await expect(den.run(['true'], { container: { runtime: 'jail' } })).rejects.toThrow(why);
    expect((await den.run(['true'])).exitCode).toBe(0);
  });

  it.each<[string, Partial<ContainerRuntime>]>([
    ['cannot list what runs', { listRunningContainers: thrown }],
    ['lists nonsense', { listRunningContainers: nonsense([1]) }],
    ['lists what is not its own', { listRunningContainers: () => ['somebody-else'] }],
    ['tells nonsense of its limits', { limits: nonsense(null) }],
  ])('%s runs programs all the same, and nobody else is removed', async (_, members) => {
    const removed: string[] = [];
    const remove = (name: string) => void removed.push(name);
    const den = await Den.open({ runtime: 'jail' }, [...builtins, pluginOf('jail', { ...members, remove })]);
    await den.containers.start();
    expect((await den.run(['true'], { container: { cpus: 1 } })).exitCode).toBe(0);
    await den.containers.close();
    expect(removed).toEqual([]);
  });

  it('was not there at first is tried again', async () => {
    let runs = false;
    const members = { isAvailable: () => runs };
    const den = await Den.open({ runtime: 'jail' }, [...builtins, pluginOf('jail', members)]);
    await expect(den.containers.start()).rejects.toMatchObject({ code: 'RUNTIME_UNAVAILABLE' });
    runs = true;
    expect((await den.run(['true'])).exitCode).toBe(0);
  });
});
