import { sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, type Mode, modes, pluginText } from './isolated-fixture.ts';

/** What a hostile plugin does in its handler, what is said of how that ended, and how many processes that took. */
interface Hostile {
  readonly does: string;
  readonly body: string;
  readonly says: RegExp;
  /** @default [2]: its process ends, and a new one answers the next call */
  readonly starts?: readonly number[];
  readonly code?: string;
  readonly before?: string;
}

const rpc = `import { closeSync, writeSync } from 'node:fs';`;

const hostile: Hostile[] = [
  { does: 'calls process.exit', body: 'process.exit(0);', says: /exited with code 0/ },
  { does: 'exits with a code', body: 'process.exit(42);', says: /exited with code 42/ },
  { does: 'aborts', body: 'process.abort();', says: /SIGABRT/ },
  { does: 'kills itself', body: `process.kill(process.pid, 'SIGKILL');`, says: /SIGKILL/ },
  {
    does: 'throws where nobody catches it',
    body: `setTimeout(() => { throw new Error('out of nowhere'); }); return new Promise(() => {});`,
    says: /exited with code 1/,
  },
  {
    does: 'leaves a rejection unhandled',
    body: `void Promise.reject(new Error('forgotten')); return new Promise(() => {});`,
    says: /exited with code 1/,
  },
  { does: 'loops for ever', body: 'for (;;);', says: /did not answer within/, code: 'HANDLER_TIMEOUT' },
  {
    does: 'loops for ever in microtasks',
    body: 'const again = () => void Promise.resolve().then(again); again(); return new Promise(() => {});',
    says: /did not answer within/,
    code: 'HANDLER_TIMEOUT',
  },
  {
    does: 'never answers',
    body: 'return new Promise(() => {});',
    says: /did not answer within/,
    code: 'HANDLER_TIMEOUT',
  },
  {
    does: 'is stuck in a regular expression',
    body: `/^(a+)+$/.test('a'.repeat(50) + 'b');`,
    says: /did not answer within/,
    code: 'HANDLER_TIMEOUT',
  },
  {
    does: 'fills its heap without end',
    body: 'for (const kept = []; ; ) kept.push({ a: [kept.length], b: String(kept.length) });',
    says: /ran out of memory/,
  },
  {
    does: 'fills buffers without end',
    body: 'for (const kept = []; ; ) kept.push(Buffer.alloc(4 << 20, 1));',
    says: /memory|allocat/i,
    // With nothing left it may throw, or die of it.
    starts: [1, 2],
  },
  {
    does: 'recurses without end',
    body: 'const down = (n) => down(n + 1) + 1; down(0);',
    says: /Maximum call stack size exceeded/,
    starts: [1],
  },
  {
    does: 'answers something cyclic',
    body: 'const a = {}; a.a = a; return a;',
    says: /cannot be sent.*circular/s,
    starts: [1],
  },
  { does: 'answers a big integer', body: 'return { verdict: 1n };', says: /cannot be sent.*BigInt/, starts: [1] },
  {
    does: 'answers more than it may',
    body: `return { verdict: 'ok', message: 'x'.repeat(2 << 20) };`,
    says: /answered \d+ characters, which is more than 1048576/,
    starts: [1],
  },
  {
    does: 'answers something very deep',
    body: `let deep = {}; for (let i = 0; i < 1000; i++) deep = { deep }; return { verdict: 'ok', annotations: deep };`,
    says: /nested more than 200 deep/,
    starts: [1],
  },
  {
    does: 'answers something too deep to be written down',
    body: `let deep = {}; for (let i = 0; i < 100000; i++) deep = { deep }; return { verdict: 'ok', annotations: deep };`,
    says: /cannot be sent.*call stack/i,
    starts: [1],
  },
  {
    does: 'closes the pipe to the host',
    before: rpc,
    body: 'closeSync(3); return new Promise(() => {});',
    says: /closed the pipe|exited/,
  },
  {
    does: 'writes garbage to the pipe',
    before: rpc,
    body: `writeSync(3, 'garbage\\n');`,
    says: /sent something that is not JSON/,
  },
  {
    does: 'writes JSON that is no message',
    before: rpc,
    body: `writeSync(3, '[1,2]\\n');`,
    says: /sent something that is no message/,
  },
  {
    does: 'answers what it was not asked',
    before: rpc,
    body: `writeSync(3, '{"jsonrpc":"2.0","id":4711,"result":{}}\\n');`,
    says: /answered something that it was not asked/,
  },
  {
    does: 'answers under a name of the prototype',
    before: rpc,
    body: `writeSync(3, '{"jsonrpc":"2.0","id":"__proto__","result":{}}\\n');`,
    says: /answered something that it was not asked/,
  },
  {
    does: 'asks the host for what there is not',
    before: rpc,
    body: `writeSync(3, '{"jsonrpc":"2.0","id":1,"method":"eval","params":{}}\\n');`,
    says: /asked for "eval", which there is not/,
  },
  {
    does: 'asks the host for functions without end',
    before: rpc,
    body: `const line = '{"jsonrpc":"2.0","id":1,"method":"invoke","params":{"ref":0,"args":[]}}\\n'.repeat(1000);
      for (;;) try { writeSync(3, line); } catch (error) { if (error.code !== 'EAGAIN') throw error; }`,
    says: /asked more of the host than it may|is not JSON/,
  },
  {
    does: 'logs past its runtime without end',
    before: rpc,
    body: `const line = JSON.stringify({ jsonrpc: '2.0', method: 'log', params: { level: 'info', message: 'x'.repeat(1000) } }) + '\\n';
      for (;;) try { writeSync(3, line); } catch (error) { if (error.code !== 'EAGAIN') throw error; }`,
    says: /flooded the pipe/,
  },
  {
    does: 'sends a line that never ends',
    before: rpc,
    body: `for (;;) try { writeSync(3, 'x'.repeat(65536)); } catch (error) { if (error.code !== 'EAGAIN') throw error; }`,
    says: /sent a line of more than/,
  },
  {
    does: 'replaces JSON, promises and timers',
    body: `JSON.stringify = () => 'mine'; JSON.parse = () => ({}); Promise.prototype.then = () => {};
      globalThis.setImmediate = () => {}; process.send = () => {}; throw new Error('after all that');`,
    says: /after all that/,
    starts: [1],
  },
];

async function attack(mode: Mode, { body, code, before = '' }: Hostile): Promise<Bench & { seconds: number }> {
  const deadlineMs = code === 'HANDLER_TIMEOUT' ? 300 : 20_000;
  const hooks = `
    'turn:accepted': { deadlineMs: ${deadlineMs}, handler: (payload, context) => { ${body} } },
    'turn:rejected': () => ({ verdict: 'ok' }),`;
  const at = bench(pluginText(hooks, before), {
    namespace: mode,
    limits: { memoryMb: 64, answerBytes: 1024 * 1024 },
  });
  await at.register();
  const from = performance.now();
  await at.kernel.call('turn:accepted', sample('turn:accepted'));
  return { ...at, seconds: (performance.now() - from) / 1000 };
}

describe.each(modes)('with namespace %s, a plugin', (mode) => {
  it.each(hostile)('that $does costs itself only', async (one) => {
    const { plugin, kernel, failures, seconds } = await attack(mode, one);
    // A message on the pipe and the answer of the call itself may arrive in one piece: then the call is well.
    if (failures.length === 0) await expect.poll(() => plugin.state().lastExit, { timeout: 60_000 }).toMatch(one.says);
    else {
      expect(failures.map(({ code }) => code)).toEqual([one.code ?? 'HANDLER_FAILED']);
      expect(failures[0]?.message).toMatch(one.says);
      expect(failures[0]?.message).toContain('plugin "it" in hook "turn:accepted"');
    }
    expect(seconds).toBeLessThan(15);
    await kernel.call('turn:rejected', sample('turn:rejected'));
    expect(failures.filter(({ hook }) => hook === 'turn:rejected')).toEqual([]);
    expect(one.starts ?? [2]).toContain(plugin.state().starts);
  });
});
