import { apple, bubblewrap, docker, none, podman } from 'plugin-runtimes';
import { describe, expect, it } from 'vitest';
import { chooseRuntime, runtimeStatus } from '../../src/containers/index.ts';
import { absent, pluginOf, runtimeOf } from './choose-fixture.ts';
import { Den, kernelOf } from './fixture.ts';
import { builtins } from './settings.ts';

const chosen = async (
  plugins: Parameters<typeof kernelOf>[0],
  name: string | null,
  platform: NodeJS.Platform = 'linux',
  image: string | null = null,
) => (await chooseRuntime(await kernelOf(plugins), name, platform, image)).name;

describe('the runtime object', () => {
  it.each([
    [bubblewrap, 'bubblewrap', 'bwrap'],
    [podman, 'podman', 'podman'],
    [docker, 'docker', 'docker'],
    [apple, 'apple', 'container'],
    [none, 'none', ''],
  ])('has a name for the config and a cli', (runtime, name, cli) => {
    expect(runtime).toMatchObject({ name, cli });
  });

  it('is_available: says whether it can be used on this host', async () => {
    expect(await bubblewrap.isAvailable()).toBe(true);
    expect(await apple.isAvailable()).toBe(false);
  });

  it('ensure_running: raises where it cannot be made to run, and says what to do', async () => {
    await bubblewrap.ensureRunning();
    await expect((async () => apple.ensureRunning())()).rejects.toThrow(
      /there is no command "container".*container system start/,
    );
  });

  it('list_running_containers: gives the names that begin with the prefix', async () => {
    expect(await bubblewrap.listRunningContainers('patchbay-no-such-')).toEqual([]);
  });
});

describe('the calling strategy', () => {
  it('collects all results', async () => {
    const status = await runtimeStatus(await kernelOf([...builtins, pluginOf('kata', absent)]));
    expect(status.map(({ name }) => name).sort()).toEqual(['apple', 'bubblewrap', 'docker', 'kata', 'none', 'podman']);
    expect(status.find(({ name }) => name === 'kata')).toMatchObject({ plugin: 'their-kata', available: false });
  });

  it('picks by config override', async () => {
    const plugins = ['bubblewrap', 'podman', 'docker'].map((name) => pluginOf(name));
    expect(await chosen(plugins, 'docker')).toBe('docker');
  });

  it.each([
    ['linux', ['docker', 'podman', 'apple', 'bubblewrap'], 'bubblewrap'],
    ['linux', ['docker', 'podman', 'apple'], 'podman'],
    ['linux', ['docker', 'apple'], 'docker'],
    ['darwin', ['docker', 'podman', 'apple', 'bubblewrap'], 'apple'],
    ['darwin', ['docker', 'podman', 'bubblewrap'], 'podman'],
    ['win32', ['docker', 'bubblewrap', 'apple'], 'docker'],
    ['linux', ['kata', 'none', 'docker'], 'docker'],
    ['linux', ['none', 'kata'], 'kata'],
  ] as const)('or by detection: on %s with %j it is %s', async (platform, names, expected) => {
    expect(
      await chosen(
        names.map((name) => pluginOf(name)),
        null,
        platform,
      ),
    ).toBe(expected);
  });

  it('detection checks availability', async () => {
    expect(await chosen([pluginOf('bubblewrap', absent), pluginOf('podman', absent), pluginOf('docker')], null)).toBe(
      'docker',
    );
  });

  it('detection never comes to "none", which must be named', async () => {
    await expect(chosen([pluginOf('none'), pluginOf('podman', absent)], null)).rejects.toMatchObject({
      code: 'RUNTIME_UNAVAILABLE',
      message: 'no container runtime is available here: podman (not available)',
      hint: expect.stringContaining('container: { runtime: none }'),
    });
    expect(await chosen([pluginOf('none')], 'none')).toBe('none');
  });

  it('detection leaves out one that can run no programs, or no images where one is wanted', async () => {
    const { command, ...listing } = runtimeOf('podman');
    const without = { name: 'their-podman', version: '1.0.0', provides: { containerRuntime: () => listing } };
    expect(await chosen([without, pluginOf('docker')], null)).toBe('docker');
    await expect(chosen([without], 'podman')).rejects.toThrow(/"podman" of plugin "their-podman" cannot run programs/);
    expect(await chosen([pluginOf('bubblewrap'), pluginOf('podman')], null, 'linux', 'img')).toBe('podman');
  });

  it('an unknown name is an error that lists the known ones, with what can be used', async () => {
    await expect(chosen([pluginOf('bubblewrap'), pluginOf('docker', absent)], 'dokcer')).rejects.toMatchObject({
      code: 'RUNTIME_UNAVAILABLE',
      message: 'there is no container runtime "dokcer"; known are docker (not available), bubblewrap (available)',
    });
  });

  it('one that is named but not available is an error with the reason; nothing else is taken instead', async () => {
    await expect(chosen([pluginOf('bubblewrap'), pluginOf('docker', absent)], 'docker')).rejects.toThrow(
      /"docker" is not available: .*its service does not run; start it/,
    );
  });

  it('one that is named and only has to be started is started', async () => {
    let runs = false;
    const ensureRunning = () => {
      runs = true;
    };
    const members = { isAvailable: () => runs, ensureRunning };
    expect(await chosen([pluginOf('docker', members)], 'docker')).toBe('docker');
  });
});

it('a workspace may name another runtime than the project', async () => {
  const den = await Den.open({ runtime: 'bubblewrap' });
  const inside = await den.sh(`test -e ${den.project}/agent.mjs && echo seen || echo hidden`);
  const outside = await den.sh(`cat ${den.project}/agent.mjs`, { container: { runtime: 'none' } });
  expect(inside).toContain('hidden');
  expect(outside).toContain('agent');
});

it('the image of the project is not for a workspace that names bubblewrap', async () => {
  const den = await Den.open({ runtime: 'podman', image: 'img:1' });
  expect((await den.run(['true'], { container: { runtime: 'bubblewrap' } })).exitCode).toBe(0);
});

it('a program without a container is confined as scripts are', async () => {
  const den = await Den.open({ runtime: 'none' });
  expect(await den.containers.start()).toBe('none');
  await expect(den.sh(`echo x > ${den.project}/patchbay.yaml`)).rejects.toThrow(/Read-only/);
  expect(await den.sh(`cat ${den.project}/.patchbay/api-token | wc -c`)).toBe('0');
});
