import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerRuntime, ContainerSpec } from 'patchbay-sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apple, docker, none, podman } from '../index.ts';

const before = process.env['PATH'];
let bin = '';

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'patchbay-runtimes-'));
  // Nothing but what a test puts there, and a shell to run it.
  process.env['PATH'] = bin;
});
afterEach(() => {
  process.env['PATH'] = before;
  rmSync(bin, { recursive: true, force: true });
});

/** Puts a program on the PATH that writes down how it was called. */
function program(name: string, body = 'exit 0'): void {
  const script = `#!/bin/sh\nfor word in "$@"; do printf '%s\\0' "$word"; done >> ${bin}/asked\nprintf '\\n' >> ${bin}/asked\n${body}\n`;
  writeFileSync(join(bin, name), script, { mode: 0o755 });
}

function asked(): string[][] {
  const lines = readFileSync(join(bin, 'asked'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => line.split('\0').slice(0, -1));
}

const spec: ContainerSpec = {
  name: 'patchbay-x-1',
  labels: { 'patchbay.project': '/p' },
  image: 'img:1',
  argv: ['agent', '--talk', 'a b'],
  cwd: '/p/workspaces/den',
  env: { TOKEN: 's3cret', PATH: '/opt/bin', DOCKER_HOST: 'tcp://evil' },
  mounts: [
    { from: '/p/workspaces/den', to: '/p/workspaces/den', readOnly: false },
    { from: '/data', to: '/in', readOnly: true },
  ],
  network: 'none',
  limits: { cpus: 1.5, memoryMb: 512, pids: 64 },
};

const clients: readonly [string, ContainerRuntime, string, readonly string[], readonly string[]][] = [
  ['docker', docker, 'docker', ['info', '--format', '{{.ServerVersion}}'], ['ps', '--format', '{{.Names}}']],
  ['podman', podman, 'podman', ['info', '--format', '{{.Version.Version}}'], ['ps', '--format', '{{.Names}}']],
  ['apple', apple, 'container', ['system', 'status'], ['list', '--quiet']],
];

describe.each(clients)('%s', (_, runtime, cli, probe, list) => {
  it('is not available where there is no such program, and says what to do', async () => {
    expect(await runtime.isAvailable()).toBe(false);
    await expect((async () => runtime.ensureRunning())()).rejects.toThrow(`there is no command "${cli}"`);
  });

  it('is available where its service answers, and is not where it does not', async () => {
    program(cli);
    expect(await runtime.isAvailable()).toBe(true);
    expect(asked()).toEqual([probe]);
    await runtime.ensureRunning();
    program(cli, "echo 'cannot connect to the service' >&2; exit 1");
    expect(await runtime.isAvailable()).toBe(false);
    await expect((async () => runtime.ensureRunning())()).rejects.toThrow(
      /does not run: cannot connect to the service\. /,
    );
  });

  it('lists exactly those whose names begin with the prefix', async () => {
    program(cli, `printf '%s\\n' patchbay-x-1 patchbay-x-2 other patchbay-y-1 a-patchbay-x-3 ''`);
    expect(await runtime.listRunningContainers('patchbay-x-')).toEqual(['patchbay-x-1', 'patchbay-x-2']);
    expect(asked()).toEqual([list]);
    program(cli, 'echo no >&2; exit 1');
    await expect((async () => runtime.listRunningContainers('x'))()).rejects.toThrow(/lists no containers: no/);
  });

  it('removes by name, and one that is gone is no failure', async () => {
    program(cli);
    await runtime.remove?.('patchbay-x-1');
    expect(asked()[0]?.at(-1)).toBe('patchbay-x-1');
    program(cli, "echo 'Error: No such container: patchbay-x-1' >&2; exit 1");
    await runtime.remove?.('patchbay-x-1');
    program(cli, 'echo busy >&2; exit 1');
    await expect((async () => runtime.remove?.('x'))()).rejects.toThrow(/did not remove x: busy/);
  });

  it('gives variables by name alone, so that no list of processes shows their values', async () => {
    program(cli);
    const command = await runtime.command?.(spec);
    expect(command?.argv[0]).toBe(join(bin, cli));
    expect(command?.argv.join(' ')).not.toContain('s3cret');
    expect(command?.argv.join(' ')).toContain('--env TOKEN ');
    expect(command?.env['TOKEN']).toBe('s3cret');
  });

  it('is itself not led astray by variables of the program', async () => {
    program(cli);
    const command = await runtime.command?.(spec);
    expect(command?.env['PATH']).toBe(bin);
    expect(command?.argv).toContain('PATH=/opt/bin');
    expect(command?.env['DOCKER_HOST']).toBe(cli === 'docker' ? undefined : 'tcp://evil');
  });

  it('runs no program without an image, nor with a mount that cannot be written down', async () => {
    program(cli);
    const { image, ...without } = spec;
    await expect((async () => runtime.command?.(without))()).rejects.toThrow(/runs images, and none is named/);
    const mounts = [{ from: '/a,b', to: '/c', readOnly: true }];
    await expect((async () => runtime.command?.({ ...spec, mounts }))()).rejects.toThrow(/"\/a,b" cannot be mounted/);
  });
});

it.each<[string, ContainerRuntime]>([
  ['docker', docker],
  ['podman', podman],
])('%s runs a program apart, with what it is given and nothing else', async (cli, runtime) => {
  program(cli);
  const command = await runtime.command?.(spec);
  const words = (command?.argv ?? []).slice(1).join(' ');
  expect(words).toMatch(
    new RegExp(
      [
        '^run --rm --interactive --pull=never --name patchbay-x-1 --label patchbay.project=/p --network none --cap-drop ALL',
        '--security-opt no-new-privileges --cpus 1.5 --memory 512m --pids-limit 64',
        '--mount type=bind,source=/p/workspaces/den,target=/p/workspaces/den',
        '--mount type=bind,source=/data,target=/in,readonly(?: --user \\d+:\\d+)? --workdir /p/workspaces/den',
        '--env TOKEN --env PATH=/opt/bin --env DOCKER_HOST(?:=tcp://evil)? --entrypoint agent img:1 --talk a b$',
      ].join(' '),
    ),
  );
  expect(command?.after?.at(-1)).toBe('patchbay-x-1');
  expect(command?.after).toContain('--force');
});

it('apple runs a program in a machine of its own', async () => {
  program('container');
  const command = await apple.command?.(spec);
  expect((command?.argv ?? []).slice(1).join(' ')).toBe(
    'run --rm --interactive --progress none --name patchbay-x-1 --label patchbay.project=/p --network none --cpus 2 ' +
      '--memory 512M --mount type=bind,source=/p/workspaces/den,target=/p/workspaces/den ' +
      '--mount type=bind,source=/data,target=/in,readonly --workdir /p/workspaces/den ' +
      '--env TOKEN --env PATH=/opt/bin --env DOCKER_HOST --entrypoint agent img:1 --talk a b',
  );
  expect(await apple.limits?.()).toEqual({ cpus: true, memoryMb: true, pids: false });
});

it('apple is started where it does not run', async () => {
  program('container', `case "$2" in start) : > ${bin}/up ;; status) [ -e ${bin}/up ] ;; esac`);
  expect(await apple.isAvailable()).toBe(false);
  await apple.ensureRunning();
  expect(await apple.isAvailable()).toBe(true);
});

it('none runs a program as it is', async () => {
  expect(await none.command?.(spec)).toEqual({ argv: spec.argv, env: spec.env });
  expect(await none.isAvailable()).toBe(true);
  expect(await none.listRunningContainers('')).toEqual([]);
});
