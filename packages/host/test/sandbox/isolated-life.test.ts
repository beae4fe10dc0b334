import { sample } from 'patchbay-sdk';
import { describe, expect, it, vi } from 'vitest';
import { newRecord } from '../../src/kernel/index.ts';
import { Backoff } from '../../src/sandbox/isolated/backoff.ts';
import { type Bench, bench, modes, pluginText, processesIn } from './isolated-fixture.ts';

/** Calls a handler that answers its process and the number of the call there. */
async function calls({ kernel }: Bench): Promise<string | undefined> {
  const record = newRecord();
  await kernel.call('turn:accepted', sample('turn:accepted'), { record });
  return (record.answers[0]?.answer as { message?: string } | undefined)?.message;
}

const counting = `let n = 0; const count = () => ({ verdict: 'ok', message: process.pid + ' ' + ++n });`;
const counts = `'turn:accepted': count`;
const hangs = `'turn:rejected': { deadlineMs: 200, handler: () => new Promise(() => {}) }`;
const slow = `'run:held': () => new Promise((resolve) => setTimeout(resolve, 1000))`;

describe('an isolated plugin', () => {
  it('answers many calls in flight, each with its own answer', async () => {
    const handler = `async ({ summary }) => {
      await new Promise((resolve) => setTimeout(resolve, Number(summary) % 7));
      return { verdict: 'ok', message: summary };
    }`;
    const { kernel, plugin, register } = bench(pluginText(`'turn:accepted': ${handler}`));
    await register();
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const record = newRecord();
        await kernel.call('turn:accepted', { ...sample('turn:accepted'), summary: String(i) }, { record });
        return record.answers[0]?.answer;
      }),
    );
    expect(answers).toEqual(answers.map((_, i) => ({ verdict: 'ok', message: String(i) })));
    expect(plugin.state().starts).toBe(1);
  });

  it('is stopped when it is idle, and started again when it is called', async () => {
    const at = bench(pluginText(counts, counting), { limits: { idleMs: 200 } });
    await at.register();
    expect(await calls(at)).toMatch(/ 1$/);
    expect(await calls(at)).toMatch(/ 2$/);
    await expect
      .poll(() => at.plugin.state(), { timeout: 60_000 })
      .toEqual({
        running: false,
        starts: 1,
        lastExit: 'exited with code 0',
      });
    expect(processesIn(at.project)).toEqual([]);
    expect(await calls(at)).toMatch(/ 1$/);
    expect(at.plugin.state().starts).toBe(2);
  });

  it('is not idle while it works on something, or has something to undo', async () => {
    const hooks = `${slow}, 'turn:accepted': (_, { defer, log }) => defer(() => log.info('undone'))`;
    const at = bench(pluginText(hooks), { limits: { idleMs: 100 } });
    await at.register();
    await at.kernel.call('run:held', sample('run:held'));
    expect(at.plugin.state().starts).toBe(1);
    await calls(at);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(at.plugin.state()).toMatchObject({ running: true, starts: 1 });
    expect(at.logs).toEqual([]);
    await at.plugin.close();
    expect(at.logs).toEqual([{ level: 'info', message: 'undone' }]);
  });

  it('is told again, in a new process, what a plugin that comes late is told', async () => {
    const hooks = `'host:ready': ({ version }) => { ready = version }, 'turn:accepted': () => ({ verdict: 'ok', message: ready }),
      'turn:rejected': () => process.exit(1)`;
    const at = bench(pluginText(hooks, `let ready = 'never';`));
    await at.register();
    await at.kernel.call('host:ready', { version: '9.9.9', project: null });
    expect(await calls(at)).toBe('9.9.9');
    await at.kernel.call('turn:rejected', sample('turn:rejected'));
    expect(await calls(at)).toBe('9.9.9');
    expect(at.plugin.state().starts).toBe(2);
  });

  it('waits longer before each start, up to half a minute, until it has been well for a while', () => {
    const backoff = new Backoff();
    const waits = Array.from({ length: 12 }, () => {
      backoff.failed(10);
      return Math.round(backoff.waitMs / 100) * 100;
    });
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000]);
    backoff.failed(100_000);
    expect(backoff.waitMs).toBeLessThanOrEqual(100);
  });

  it('has all its calls rejected with how it ended when it crashes', async () => {
    const hooks = `'turn:accepted': () => new Promise(() => {}), 'turn:rejected': () => process.exit(7)`;
    const { kernel, failures, register } = bench(pluginText(hooks));
    await register();
    const waiting = [1, 2, 3].map(() => kernel.call('turn:accepted', sample('turn:accepted')));
    await kernel.call('turn:rejected', sample('turn:rejected'));
    await Promise.all(waiting);
    expect(failures).toHaveLength(4);
    for (const { message } of failures) expect(message).toMatch(/the process of plugin "it" exited with code 7$/);
  });

  it('goes on after a deadline if it heeds the signal, and so do its other calls', async () => {
    const heeds = `'turn:rejected': { deadlineMs: 200, handler: (_, { signal, log }) => new Promise((resolve) => {
      signal.addEventListener('abort', () => { log.info('aborted: ' + signal.reason.message); resolve(); }); }) }`;
    const at = bench(pluginText(`${counts}, ${heeds}, ${slow}`, counting));
    await at.register();
    const other = at.kernel.call('run:held', sample('run:held'));
    await at.kernel.call('turn:rejected', sample('turn:rejected'));
    await other;
    expect(at.failures.map(({ code, hook }) => [code, hook])).toEqual([['HANDLER_TIMEOUT', 'turn:rejected']]);
    expect(at.logs).toEqual([{ level: 'info', message: 'aborted: it: did not answer in time' }]);
    await calls(at);
    expect(at.plugin.state().starts).toBe(1);
  });

  it('is ended if it does not heed the signal, and its other calls with it; the next ones wait for a new process', async () => {
    const at = bench(pluginText(`${counts}, ${hangs}, ${slow}`, counting));
    await at.register();
    const other = at.kernel.call('run:held', sample('run:held'));
    await at.kernel.call('turn:rejected', sample('turn:rejected'));
    expect(await calls(at)).toMatch(/ 1$/);
    await other;
    expect(at.failures.map(({ code, hook }) => [code, hook])).toEqual([
      ['HANDLER_TIMEOUT', 'turn:rejected'],
      ['HANDLER_FAILED', 'run:held'],
    ]);
    expect(at.failures[1]?.message).toMatch(/did not answer in time, nor heeded its signal/);
    expect(at.plugin.state()).toMatchObject({ starts: 2, lastExit: 'did not answer in time, nor heeded its signal' });
  });

  it('cannot be started in a project that is not there, and says so', async () => {
    const at = bench(pluginText(counts, counting), { project: '/no/such/project', namespace: 'off' });
    await expect(at.plugin.describe()).rejects.toMatchObject({
      code: 'PLUGIN_LOAD',
      message: expect.stringMatching(/could not be started: spawn .*ENOENT/),
    });
  });

  it('tells somebody of its process group from start to end', async () => {
    const seen: string[] = [];
    const adopt = (pid: number) => void seen.push(`adopt ${pid}`);
    const release = (pid: number) => void seen.push(`release ${pid}`);
    const { plugin } = bench(pluginText(counts, counting), { adopt, release });
    await plugin.describe();
    const { pid } = plugin.state();
    expect(seen).toEqual([`adopt ${pid}`]);
    await plugin.close();
    expect(seen).toEqual([`adopt ${pid}`, `release ${pid}`]);
  });
});

describe('closing an isolated plugin', () => {
  it.each(modes)('ends one that is busy for ever, with namespace %s', async (namespace) => {
    const at = bench(pluginText(`'turn:accepted': (_, { defer }) => defer(() => { for (;;); })`), { namespace });
    await at.register();
    await calls(at);
    await at.plugin.close();
    expect(at.plugin.state()).toMatchObject({ running: false, lastExit: 'did not stop in time' });
    await vi.waitFor(() => expect(processesIn(at.project)).toEqual([]), { timeout: 60_000 });
  });

  it('may be done twice, before it is started and while it is', async () => {
    const { plugin } = bench(pluginText(counts, counting));
    await plugin.close();
    await plugin.close();
    await expect(plugin.describe()).rejects.toMatchObject({ code: 'HANDLER_FAILED', plugin: 'it' });
    const other = bench(pluginText(counts, counting));
    const starting = other.plugin.describe().catch((error: Error) => error);
    await other.plugin.close();
    await starting;
    expect(other.plugin.state().running).toBe(false);
  });

  it('does not wait for one that is starting, or waits to be started again', async () => {
    const { plugin } = bench('await new Promise(() => setInterval(() => {}, 1000));');
    const starting = plugin.describe().catch((error: Error) => error.message);
    await expect.poll(() => plugin.state().starts).toBe(1);
    await plugin.close();
    expect(await starting).toMatch(/cannot be loaded from .*: was taken out while it was starting/);

    const broken = bench(`throw new Error('no luck')`);
    for (let i = 0; i < 4; i++) await expect(broken.plugin.describe()).rejects.toThrow(/no luck/);
    const again = broken.plugin.describe().catch((error: Error) => error.message);
    await broken.plugin.close();
    expect(await again).toMatch(/has been taken out/);
    expect(broken.plugin.state().starts).toBe(4);
  });

  it('rejects the calls that it is still working on', async () => {
    const at = bench(pluginText(`'turn:accepted': () => new Promise(() => {})`));
    await at.register();
    const call = calls(at);
    await at.plugin.close();
    await call;
    expect(at.failures[0]?.message).toMatch(/the process of plugin "it" exited with code 0/);
  });
});

describe('what an isolated plugin prints', () => {
  it('goes to its log, line by line', async () => {
    const print = `console.log('one %s', 1); console.error('two'); process.stdout.write('thr'); process.stdout.write('ee\\nfour');`;
    const at = bench(pluginText(`'turn:accepted': () => { ${print} }`));
    await at.register();
    await calls(at);
    await at.plugin.close();
    expect(at.logs.filter(({ level }) => level === 'info').map(({ message }) => message)).toEqual([
      'one 1',
      'three',
      'four',
    ]);
    expect(at.logs.filter(({ level }) => level === 'warn')).toEqual([{ level: 'warn', message: 'two' }]);
  });

  // Waits for the host to read: what it does not read would fill the plugin's own memory, and end it.
  const flood = (to: string) =>
    `for (let i = 0; i < 50_000; i++) if (!process.${to}.write(text)) await new Promise((r) => process.${to}.once('drain', r));`;
  it.each([
    ['prints', `const text = 'x'.repeat(1023) + '\\n'; ${flood('stdout')}`],
    ['prints in one line', `const text = 'x'.repeat(1024); ${flood('stderr')}`],
    ['logs', `for (let i = 0; i < 200_000; i++) log.info('x'.repeat(1000));`],
  ])('is bounded when it %s without end; what is left out is counted', async (_, body) => {
    const at = bench(
      pluginText(`'turn:accepted': async (_, { log }) => { ${body} return { verdict: 'ok', message: 'done' } }`),
    );
    await at.register();
    expect(await calls(at)).toBe('done');
    await at.plugin.close();
    const length = at.logs.reduce((sum, { message }) => sum + message.length, 0);
    expect(length).toBeLessThan(2_000_000);
    expect(at.logs.some(({ message }) => /\d+ (?:bytes|characters) of .* were dropped/.test(message))).toBe(true);
  });

  it('does not matter to the host if its log throws', async () => {
    const log = () => {
      throw new Error('disk full');
    };
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const at = bench(
      pluginText(`'turn:accepted': (_, { log }) => { log.info('x'); return { verdict: 'ok', message: 'done' } }`),
      { log },
    );
    await at.register();
    expect(await calls(at)).toBe('done');
    await at.plugin.close();
    expect(warned).toHaveBeenCalled();
    warned.mockRestore();
  });
});
