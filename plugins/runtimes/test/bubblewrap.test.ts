import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerSpec } from 'patchbay-sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bubblewrap } from '../index.ts';
import { forgetScopes } from '../scope.ts';

const before = process.env['PATH'];
let bin = '';

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'patchbay-runtimes-'));
  process.env['PATH'] = `${bin}:${before}`;
  forgetScopes();
});
afterEach(() => {
  process.env['PATH'] = before;
  forgetScopes();
  rmSync(bin, { recursive: true, force: true });
});

const spec: ContainerSpec = {
  name: 'patchbay-x-1',
  labels: {},
  argv: ['agent', '--', 'x'],
  cwd: '/tmp',
  env: { TOKEN: 's3cret' },
  mounts: [],
  network: 'none',
  limits: { cpus: 0.5, memoryMb: 100, pids: 20 },
};

/** Has systemd-run put programs into such groups, as it says. */
function systemd(groups: string, exit = 0): void {
  const script = `#!/bin/sh\ncat <<'END'\n${groups}\nEND\nexit ${exit}\n`;
  writeFileSync(join(bin, 'systemd-run'), script, { mode: 0o755 });
}

it('keeps all limits by a group of systemd, where there is one', async () => {
  systemd('0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1.scope');
  expect(await bubblewrap.limits?.()).toEqual({ cpus: true, memoryMb: true, pids: true });
  const { argv = [] } = (await bubblewrap.command?.(spec)) ?? {};
  const user = process.getuid?.() === 0 ? '' : '--user ';
  expect(argv.join(' ')).toMatch(
    new RegExp(
      `^${bin}/systemd-run ${user}--scope --quiet --collect --unit=patchbay-x-1 -p CPUQuota=50% -p MemoryMax=100M ` +
        '-p MemorySwapMax=0 -p TasksMax=20 -- [^ ]*/bwrap --die-with-parent .* -- agent -- x$',
    ),
  );
  expect(argv.join(' ')).not.toContain('prlimit');
  const { argv: free = [] } = (await bubblewrap.command?.({ ...spec, limits: {} })) ?? {};
  expect(free[0]).toMatch(/\/bwrap$/);
});

it.each([
  ['systemd does not run', '', 1],
  ['its groups are of the first kind', '4:memory:/user.slice\n0::/user.slice/run-r1.scope', 0],
])('keeps what the system has where %s', async (_, groups, exit) => {
  systemd(groups, exit);
  expect(await bubblewrap.limits?.()).toMatchObject({ cpus: false, memoryMb: true });
  const { argv = [] } = (await bubblewrap.command?.(spec)) ?? {};
  expect(argv[0]).toMatch(/\/bwrap$/);
  expect(argv.join(' ')).toMatch(/ -- prlimit --data=\d+( --nproc=20)? -- agent -- x$/);
});

it('shares the network of the host only where that is wanted', async () => {
  const flags = async (network: 'none' | 'host') => (await bubblewrap.command?.({ ...spec, network }))?.argv;
  expect(await flags('none')).not.toContain('--share-net');
  expect(await flags('host')).toContain('--share-net');
});

it('has no variable among its arguments that a program is given', async () => {
  const command = await bubblewrap.command?.(spec);
  expect(command?.argv.join(' ')).not.toContain('s3cret');
  expect(command?.env['TOKEN']).toBe('s3cret');
});

it('runs no images', async () => {
  await expect((async () => bubblewrap.command?.({ ...spec, image: 'x' }))()).rejects.toThrow(/runs no images/);
});

it('is not available where it is not installed, or cannot make a namespace, and says what to do', async () => {
  process.env['PATH'] = bin;
  expect(await bubblewrap.isAvailable()).toBe(false);
  await expect((async () => bubblewrap.ensureRunning())()).rejects.toThrow(/apt-get install bubblewrap/);
  writeFileSync(join(bin, 'bwrap'), "#!/bin/sh\necho 'bwrap: No permissions' >&2; exit 1\n", { mode: 0o755 });
  expect(await bubblewrap.isAvailable()).toBe(false);
  await expect((async () => bubblewrap.ensureRunning())()).rejects.toThrow(/No permissions.*sysctl/);
});
