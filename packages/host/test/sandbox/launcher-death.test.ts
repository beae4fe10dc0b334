import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryDir } from '../../src/sandbox/launch/folder.ts';
import { folderPrefix } from '../../src/sandbox/launch/sweep.ts';
import { Launcher } from '../../src/sandbox/launcher.ts';
import { confinements, eventually, nap, running, Workshop } from './fixture.ts';

const never = 86_400_000;

describe.each(confinements)('sudden death, confined by %s', (confinement) => {
  let shop: Workshop;
  beforeEach(() => {
    shop = new Workshop(confinement);
  });
  afterEach(() => shop.close());

  /** The launcher process of the workshop: it has the folder for temporary files in its command line. */
  const launchers = () => running(`launcher-main.ts\0${shop.temp}`);

  async function startHost(seconds: string, adopted: string): Promise<ChildProcess> {
    const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
    const file = join(import.meta.dirname, 'host.fixture.ts');
    const mode = confinement === 'group' ? 'off' : 'auto';
    const host = spawn(process.execPath, [...flags, file, shop.project, shop.temp, mode, seconds, adopted], {
      stdio: 'inherit',
    });
    await eventually(() => {
      expect(existsSync(join(shop.project, 'started'))).toBe(true);
      expect(shop.leftovers()).toHaveLength(1);
    });
    return host;
  }

  it('of the host takes the job, the adopted process, the launcher process and the folder with it', async () => {
    const seconds = nap();
    const adopted = nap();
    const host = await startHost(seconds, adopted);
    host.kill('SIGKILL');
    await once(host, 'exit');
    await eventually(() => {
      expect(running(seconds)).toEqual([]);
      expect(running(adopted)).toEqual([]);
      expect(launchers()).toEqual([]);
      expect(shop.leftovers()).toEqual([]);
      expect(leftInMemory(shop.project)).toEqual([]);
    });
  });

  it('of the host and the launcher process leaves what a later host sweeps away', async () => {
    const seconds = nap();
    const adopted = nap();
    const host = await startHost(seconds, adopted);
    // Stopped first, so that it cannot tidy up when the host is gone.
    const [launcher = 0] = launchers();
    process.kill(launcher, 'SIGSTOP');
    host.kill('SIGKILL');
    process.kill(launcher, 'SIGKILL');
    await once(host, 'exit');
    const own = shop.run(`sleep ${nap()}`, { timeoutMs: never });
    await eventually(() => expect(shop.leftovers()).toHaveLength(2));
    mkdirSync(join(shop.temp, 'of-others'));
    expect(await Launcher.sweep({ project: '/another/project', tempDir: shop.temp })).toBe(0);
    await eventually(async () => expect(await Launcher.sweep({ project: shop.project, tempDir: shop.temp })).toBe(1));
    expect(running(seconds)).toEqual([]);
    expect(shop.leftovers()).toHaveLength(2);
    await shop.launcher.close();
    expect(shop.leftovers()).toEqual(['of-others']);
    expect(leftInMemory(shop.project)).toEqual([]);
    expect(await own).toMatchObject({ aborted: true });
    for (const pid of running(adopted)) process.kill(pid, 'SIGKILL');
  });

  it('of the launcher process fails the jobs in it, ends them, and the next job works', async () => {
    const seconds = nap();
    const job = shop.run(`sleep ${seconds}; true`, { timeoutMs: never, files: { FILE: '{}' } });
    const failed = expect(job).rejects.toMatchObject({
      code: 'HANDLER_FAILED',
      message: expect.stringMatching(/has ended \(SIGKILL\) before \/bin\/bash was done/),
    });
    await eventually(() => expect(running(`sleep\0${seconds}`)).not.toEqual([]));
    for (const pid of launchers()) process.kill(pid, 'SIGKILL');
    await failed;
    expect(await shop.run('echo again')).toMatchObject({ exitCode: 0, stdout: { text: 'again\n' } });
    await eventually(() => {
      expect(running(seconds)).toEqual([]);
      expect(shop.leftovers()).toEqual([]);
    });
  });

  it('of the launcher process just as it starts jobs leaves nothing', async () => {
    const seconds = nap();
    for (let ms = 0; ms < 8; ms++) {
      await shop.launcher.confinement();
      const jobs = [1, 2].map(() => shop.run(`sleep ${seconds}`, { timeoutMs: never }));
      const failed = Promise.allSettled(jobs);
      await sleep(ms);
      for (const pid of launchers()) process.kill(pid, 'SIGKILL');
      expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    }
    await shop.launcher.close();
    expect(running(seconds)).toEqual([]);
    expect(shop.leftovers()).toEqual([]);
    expect(leftInMemory(shop.project)).toEqual([]);
  });

  it('of the launcher process does not leave adopted processes without a guard', async () => {
    const own = spawn('sleep', [nap()], { detached: true, stdio: 'ignore' });
    shop.launcher.adopt(own.pid ?? 0);
    await shop.launcher.confinement();
    const [first] = launchers();
    process.kill(first ?? 0, 'SIGKILL');
    await eventually(() => expect(launchers().filter((pid) => pid !== first)).toHaveLength(1));
    await shop.launcher.close();
    await eventually(() => expect(own.signalCode).toBe('SIGKILL'));
  });

  it('does not come over a process that was released', async () => {
    const own = spawn('sleep', [nap()], { detached: true, stdio: 'ignore' });
    shop.launcher.adopt(own.pid ?? 0);
    shop.launcher.release(own.pid ?? 0);
    await shop.run('true');
    await shop.launcher.close();
    expect(own.signalCode).toBe(null);
    own.kill();
    await once(own, 'exit');
  });

  it('is not needed: a host with an idle launcher process ends by itself', async () => {
    const file = join(shop.dir, 'idle.ts');
    const launcher = join(import.meta.dirname, '../../src/sandbox/launcher.ts');
    writeFileSync(
      file,
      `import { Launcher } from '${launcher}';
       const launcher = new Launcher({ project: '${shop.project}', tempDir: '${shop.temp}' });
       const job = { argv: ['/bin/echo', 'hello'], cwd: '/', env: {}, timeoutMs: 10000 };
       process.stdout.write((await launcher.run(job)).stdout.text);`,
    );
    const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
    const host = spawn(process.execPath, [...flags, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = host.stdout.setEncoding('utf8').toArray();
    expect(await once(host, 'exit')).toEqual([0, null]);
    expect((await said).join('')).toBe('hello\n');
    await eventually(() => expect(launchers()).toEqual([]));
  });
});

describe('a launcher process that no longer answers', () => {
  it('is killed, and the next job works', async () => {
    const shop = new Workshop('group');
    try {
      await shop.launcher.confinement();
      for (const pid of running(`launcher-main.ts\0${shop.temp}`)) process.kill(pid, 'SIGSTOP');
      const job = shop.run('true', { timeoutMs: 10, graceMs: 10 });
      await expect(job).rejects.toMatchObject({ code: 'HANDLER_FAILED' });
      expect(await shop.run('echo again')).toMatchObject({ stdout: { text: 'again\n' } });
    } finally {
      await shop.close();
    }
  });
});

/** What jobs have left of what they were given. */
function leftInMemory(project: string): string[] {
  const dir = memoryDir();
  const names = dir === undefined ? [] : readdirSync(dir);
  return names.filter((name) => name.startsWith(folderPrefix(project)));
}
