import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { sample } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { folder } from '../../../../test/project.ts';
import { newRecord } from '../../src/kernel/index.ts';
import { confinement } from '../../src/sandbox/isolated/confinement.ts';
import type { IsolatedOptions } from '../../src/sandbox/isolated/index.ts';
import { type Bench, bench, benchOf, modes, pluginText, processesIn } from './isolated-fixture.ts';

const hasNamespaces = (await confinement(true)).length > 0;

const imports = `
  import * as fs from 'node:fs'; import * as net from 'node:net'; import { spawn, spawnSync } from 'node:child_process';
  import { Worker } from 'node:worker_threads'; import { setTimeout as sleep } from 'node:timers/promises';`;

/** A plugin that answers what an expression gives in it. */
async function asking(
  expression: string,
  options: Partial<IsolatedOptions> = {},
): Promise<Bench & { ask(): Promise<unknown> }> {
  const handler = `async (payload, context) => ({ verdict: 'ok', annotations: { it: await (${expression}) } })`;
  const at = bench(pluginText(`'turn:accepted': ${handler}`, imports), options);
  await at.register();
  const ask = async () => {
    const record = newRecord();
    await at.kernel.call('turn:accepted', sample('turn:accepted'), { record });
    if (record.failures[0] !== undefined) throw record.failures[0];
    const [{ answer }] = record.answers as unknown as [{ answer: { annotations: { it: unknown } } }];
    return answer.annotations.it;
  };
  return { ...at, ask };
}

const denied = (expression: string) =>
  `(async () => ${expression})().then(() => 'done', (error) => error.code ?? error.message)`;

describe.each(modes)('with namespace %s, an isolated plugin', (namespace) => {
  it('has the base environment and what it is granted, nothing else', async () => {
    vi.stubEnv('PATCHBAY_SECRET', 'host only');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { ask } = await asking('process.env', { namespace, env: { API_KEY: 'granted' } });
    const base = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'].filter((name) => process.env[name] !== undefined);
    const env = (await ask()) as Record<string, string>;
    expect(Object.keys(env).sort()).toEqual([...base, 'API_KEY'].sort());
    expect(env['API_KEY']).toBe('granted');
  });

  it('works in the project and reads its own folder, and nothing else', async () => {
    const outside = folder({ 'secret.txt': 'secret' });
    const { ask, project } = await asking(
      `(async () => [process.cwd(), fs.existsSync(import.meta.filename),
        ${denied(`fs.readFileSync(${JSON.stringify(join(outside, 'secret.txt'))})`)},
        ${denied(`fs.readFileSync('/proc/self/environ')`)},
        ${denied(`fs.readdirSync('.')`)},
        ${denied(`fs.writeFileSync(import.meta.filename, '')`)}])().then((all) => Promise.all(all))`,
      { namespace },
    );
    const no = 'ERR_ACCESS_DENIED';
    expect(await ask()).toEqual([project, true, no, no, no, no]);
  });

  it('reads and writes where a grant says so, relative to the project, also where nothing is yet', async () => {
    const outside = folder({ 'data/a.txt': 'a', 'b.txt': 'b' });
    const at = await asking(
      `(async () => {
        fs.mkdirSync('reports/deep', { recursive: true });
        fs.writeFileSync('reports/deep/r.txt', 'written');
        return [fs.readFileSync(${JSON.stringify(join(outside, 'data/a.txt'))}, 'utf8'),
          ${denied(`fs.readFileSync(${JSON.stringify(join(outside, 'b.txt'))})`)},
          ${denied(`fs.writeFileSync(${JSON.stringify(join(outside, 'data/a.txt'))}, '')`)},
          ${denied(`fs.writeFileSync('reports-not', '')`)}];
      })().then((all) => Promise.all(all))`,
      { namespace, grants: [`read:${join(outside, 'data')}`, 'read:reports', 'write:reports'] },
    );
    const no = 'ERR_ACCESS_DENIED';
    expect(await at.ask()).toEqual(['a', no, no, no]);
    expect(readFileSync(join(at.project, 'reports/deep/r.txt'), 'utf8')).toBe('written');
    expect(existsSync(join(at.project, 'reports-not'))).toBe(false);
  });

  it('is told which grant it lacks', async () => {
    const { ask } = await asking(`fs.readFileSync('/etc/hostname')`, { namespace });
    await expect(ask()).rejects.toThrow(/failed: "read:\/etc\/hostname" is not granted/);
  });

  it('starts no process and no thread without a grant', async () => {
    const { ask } = await asking(
      `Promise.all([${denied(`spawn('sleep', ['100'])`)}, ${denied(`spawnSync('true')`)},
        ${denied(`new Worker('for (;;);', { eval: true })`)}, ${denied(`process.dlopen({ exports: {} }, '/lib/x.node')`)}])`,
      { namespace },
    );
    expect(await ask()).toEqual(['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED']);
  });

  it('takes what it started with it, and leaves no process', async () => {
    const start = `[spawn('sleep', ['300'], { stdio: 'ignore' }).pid, spawn('sh', ['-c', 'sleep 300 & sleep 300'], { stdio: 'inherit' }).pid].length`;
    const { ask, plugin, project } = await asking(start, { namespace, grants: ['exec:sleep'] });
    expect(await ask()).toBe(2);
    await eventually(() => expect(processesIn(project).filter((one) => one.endsWith('sleep')).length).toBe(3));
    await plugin.close();
    await eventually(() => expect(processesIn(project)).toEqual([]));
  });

  it('neither ends other processes nor has them open a debugger', async () => {
    const victim = spawn('sleep', ['300']);
    onTestFinished(() => void victim.kill('SIGKILL'));
    await once(victim, 'spawn');
    const { ask } = await asking(
      `Promise.all([${denied(`process.kill(${victim.pid}, 'SIGKILL')`)}, ${denied(`process.kill(process.ppid, 'SIGUSR1')`)},
        ${denied(`process._debugProcess(process.ppid)`)}, ${denied(`process.kill(-process.ppid, 'SIGKILL')`)}])`,
      { namespace },
    );
    const answers = (await ask()) as string[];
    expect(answers[0]).toBe('EPERM');
    expect(answers[1]).toBe('EPERM');
    expect(answers[2]).toMatch(/not a function/);
    expect(answers[3]).toBe('EPERM');
    expect(victim.exitCode).toBeNull();
    expect(victim.signalCode).toBeNull();
  });

  it('ends nothing but itself by a signal to its group', async () => {
    const { ask, plugin } = await asking(`spawnSync('sh', ['-c', 'kill -9 0'])`, { namespace, grants: ['exec:sh'] });
    await expect(ask()).rejects.toThrow(/was ended by SIGKILL/);
    expect(plugin.state().starts).toBe(1);
  });

  it('is bounded in memory that is not its heap', async () => {
    const { ask } = await asking(
      `(() => { const kept = []; try { for (;;) kept.push(Buffer.alloc(1 << 20, 1)); } catch { const n = kept.length; kept.length = 0; return n; } })()`,
      { namespace, limits: { memoryMb: 128 } },
    );
    // In MiB. It may as well die of it.
    const got = await ask().catch((error: Error) => (/ran out of memory|SIG/.test(error.message) ? 0 : error.message));
    expect(got).toBeLessThan(512);
  });
});

describe.runIf(hasNamespaces)('in a namespace, an isolated plugin', () => {
  it('sees no process but its own, not even with a grant to start some', async () => {
    const { ask } = await asking(`spawnSync('ls', ['/proc'], { encoding: 'utf8' }).stdout`, { grants: ['exec:ls'] });
    const pids = String(await ask())
      .split('\n')
      .filter((name) => /^\d+$/.test(name));
    expect(pids.length).toBeLessThan(6);
  });

  it('loses what started a session of its own', async () => {
    const start = `spawn('setsid', ['sh', '-c', 'setsid sleep 300 & sleep 300'], { stdio: 'ignore', detached: true }).pid > 0`;
    const { ask, plugin, project } = await asking(start, { grants: ['exec:sh'] });
    expect(await ask()).toBe(true);
    await eventually(() => expect(processesIn(project).filter((one) => one.endsWith('sleep')).length).toBe(2));
    await plugin.close();
    await eventually(() => expect(processesIn(project)).toEqual([]));
  });

  it('reaches the network only with a grant', async () => {
    const server = createServer((socket) => socket.end('hello'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const connect = `new Promise((resolve) => net.connect(${port}, '127.0.0.1').on('data', (data) => resolve(String(data))).on('error', (error) => resolve(error.code)))`;
    expect(await (await asking(connect)).ask()).toBe('ECONNREFUSED');
    expect(await (await asking(connect, { grants: ['net:127.0.0.1'] })).ask()).toBe('hello');
  });
});

describe('a plugin folder', () => {
  it('may be a link, as one that is being developed is', async () => {
    const elsewhere = folder({
      'index.mjs': pluginText(`'turn:accepted': () => {}`, `import './more.mjs';`),
      'more.mjs': '',
    });
    const project = folder();
    symlinkSync(elsewhere, join(project, 'linked'));
    const dir = join(project, 'linked');
    const { plugin } = benchOf({ module: join(dir, 'index.mjs'), dir, project });
    expect(await plugin.describe()).toMatchObject({ name: 'it' });
  });
});
