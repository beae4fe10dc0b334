import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bubblewrap, podman as podmanRuntime } from 'plugin-runtimes';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ContainerNames, projectPrefix } from '../../src/containers/names.ts';
import { entryFlags } from '../../src/sandbox/entry.ts';
import { descendantsOf } from '../../src/sandbox/launch/proc.ts';
import { eventually, nap, running } from '../sandbox/fixture.ts';
import { Den } from './fixture.ts';
import { image, podman, podmanHere } from './podman-fixture.ts';

let undo = () => {};
beforeAll(() => {
  undo = podmanHere();
});
afterAll(() => undo());

/** A process that plays the host of a den, with a program in a container that sleeps for so long. */
async function hostOf(den: Den, runtime: string, seconds: string): Promise<ChildProcess> {
  const file = join(import.meta.dirname, 'host.fixture.ts');
  const line = `echo > ready; sleep ${seconds}`;
  const args = [den.project, den.workspace, runtime, runtime === 'podman' ? image : '', line];
  const child = spawn(process.execPath, [...entryFlags, file, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually(() => expect(existsSync(join(den.workspace, 'ready'))).toBe(true));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe.each([
  ['bubblewrap', bubblewrap, 0],
  ['podman', podmanRuntime, 1],
])('of %s', (name, runtime, left) => {
  it('nothing goes on when the host is killed', async () => {
    const den = await Den.open({ runtime: name, image: name === 'podman' ? image : null });
    const seconds = nap();
    const host = await hostOf(den, name, seconds);
    expect(await runtime.listRunningContainers(projectPrefix(den.project))).toHaveLength(1);
    await kill(host);
    await eventually(() => expect(running(seconds)).toEqual([]));
    expect(await runtime.listRunningContainers(projectPrefix(den.project))).toEqual([]);
  });

  it('what a killed host and its launcher left is gone after the next start', async () => {
    const den = await Den.open({ runtime: name, image: name === 'podman' ? image : null });
    const seconds = nap();
    const host = await hostOf(den, name, seconds);
    // The launcher would see to it.
    for (const pid of descendantsOf(host.pid ?? 0))
      if (running('launcher-main').includes(pid)) process.kill(pid, 'SIGKILL');
    await kill(host);
    const listed = async () =>
      expect(await runtime.listRunningContainers(projectPrefix(den.project))).toHaveLength(left);
    await vi.waitFor(listed, { timeout: 30_000 });
    await den.containers.start();
    expect(await runtime.listRunningContainers(projectPrefix(den.project))).toEqual([]);
    await eventually(() => expect(running(seconds)).toEqual([]));
  });
});

it('those of another project, of a living host and of somebody else stay', async () => {
  const den = await Den.open({ runtime: 'podman', image });
  const other = await Den.open({ runtime: 'podman', image });
  const dead = '4194304-1';
  const names = {
    orphan: `${projectPrefix(den.project)}${dead}-1`,
    ofOther: `${projectPrefix(other.project)}${dead}-1`,
    living: new ContainerNames(den.project).next(),
    else: 'somebody-else',
  };
  for (const name of Object.values(names)) {
    podman('run', '--detach', '--network', 'none', '--name', name, image, 'sleep', nap());
  }
  await den.containers.start();
  const left = await podmanRuntime.listRunningContainers('');
  expect(left.sort()).toEqual([names.ofOther, names.living, names.else].sort());
});
