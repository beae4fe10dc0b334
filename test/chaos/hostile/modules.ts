import { expect } from 'vitest';
import { modulePackage } from '../package.ts';
import type { Hostile } from '../row.ts';

const never = 'return new Promise(() => {});';
const late = /did not answer within 300 ms/;
/** Writes to the pipe to the host, past the runtime that owns it; waits where the pipe is full. */
const rpc = `import { writeSync } from 'node:fs';
const tell = (text) => { for (;;) try { return writeSync(3, text); } catch (error) { if (error.code !== 'EAGAIN') throw error; } };
`;

/** Hostile modules that do not do their work. */
export const modules: Hostile[] = [
  { does: 'never answers', make: (name) => modulePackage(name, never), accepted: 'failed', says: late },
  { does: 'loops for ever', make: (name) => modulePackage(name, 'for (;;);'), accepted: 'failed', says: late },
  {
    does: 'loops for ever in microtasks',
    make: (name) => modulePackage(name, 'for (;;) await null;'),
    accepted: 'failed',
    says: late,
  },
  {
    does: 'allocates 1 GB of objects',
    make: (name) =>
      modulePackage(name, 'const kept = []; for (let i = 0; i < 1e7; i++) kept.push({ at: [i], text: `${i}` });', {
        deadlineMs: 20_000,
        events: ['turn:accepted'],
      }),
    accepted: 'failed',
    says: /ran out of memory/,
  },
  {
    does: 'allocates 1 GB of buffers',
    make: (name) =>
      modulePackage(name, 'const kept = []; for (let i = 0; i < 256; i++) kept.push(Buffer.alloc(4 << 20, 1));', {
        deadlineMs: 20_000,
        events: ['turn:accepted'],
      }),
    accepted: 'failed',
    says: /memory|allocat/i,
  },
  {
    does: 'exits in its handler',
    make: (name) => modulePackage(name, 'process.exit(0);', { deadlineMs: 5000 }),
    accepted: 'failed',
    says: /exited with code 0/,
  },
  {
    does: 'crashes in its handler',
    make: (name) => modulePackage(name, `process.kill(process.pid, 'SIGSEGV'); ${never}`, { deadlineMs: 5000 }),
    accepted: 'failed',
    says: /was ended by SIGSEGV/,
  },
  {
    does: 'exits while it loads',
    make: (name) => modulePackage(name, '', { before: 'process.exit(0);' }),
    accepted: 'none',
    says: /exited with code 0/,
  },
  {
    does: 'throws while it loads',
    make: (name) => modulePackage(name, '', { before: `throw new Error('not today');` }),
    accepted: 'none',
    says: /not today/,
  },
  {
    does: 'loops for ever while it loads',
    make: (name) => modulePackage(name, '', { before: 'for (;;);' }),
    accepted: 'none',
    says: /did not finish within 10 s/,
  },
  {
    does: 'prints without end',
    make: (name) => modulePackage(name, `for (;;) console.log('x'.repeat(10000));`),
    accepted: 'failed',
    says: late,
  },
  {
    does: 'logs without end',
    make: (name) => modulePackage(name, `for (let i = 0; i < 1e5; i++) context.log.error('x'.repeat(1000));`),
    accepted: 'settled',
  },
  {
    does: 'answers 3 MB',
    make: (name) =>
      modulePackage(
        name,
        `return { verdict: 'fail', message: 'x'.repeat(3e6), annotations: { more: 'x'.repeat(5e5) } };`,
        {
          deadlineMs: 5000,
        },
      ),
    accepted: 'failed',
    check: ({ deliveries }) => {
      for (const { message } of deliveries) expect(message?.length ?? 0).toBeLessThan(100_000);
    },
  },
  {
    does: 'answers 100 MB',
    make: (name) => modulePackage(name, `return { verdict: 'ok', message: 'x'.repeat(1e8) };`, { deadlineMs: 10_000 }),
    accepted: 'failed',
    says: /more than 4194304|ran out of memory/,
  },
  {
    does: 'answers what it was not asked',
    make: (name) =>
      modulePackage(name, `tell('{"jsonrpc":"2.0","id":987654,"result":{}}\\n'); ${never}`, {
        before: rpc,
        deadlineMs: 5000,
      }),
    accepted: 'failed',
    says: /answered something that it was not asked/,
  },
  {
    does: 'answers everything, many times',
    make: (name) =>
      modulePackage(
        name,
        `for (let id = 1; id < 100; id++) tell('{"jsonrpc":"2.0","id":' + (id % 20) + ',"result":{"value":null}}\\n');`,
        { before: rpc, deadlineMs: 5000 },
      ),
    accepted: 'settled',
  },
  {
    does: 'writes garbage to the host',
    make: (name) =>
      modulePackage(name, `tell('{"jsonrpc": \\u0000 half\\n'); ${never}`, { before: rpc, deadlineMs: 5000 }),
    accepted: 'failed',
    says: /sent something that is not JSON/,
  },
  {
    does: 'writes half an answer to the host, and stops',
    make: (name) => modulePackage(name, `tell('{"jsonrpc":"2.0","id":'); ${never}`, { before: rpc }),
    accepted: 'failed',
    says: /did not answer within 300 ms|is not JSON/,
  },
  {
    does: 'answers when its time is over',
    make: (name) =>
      modulePackage(name, `await new Promise((done) => setTimeout(done, 450)); return { verdict: 'ok' };`),
    accepted: 'failed',
    says: late,
  },
  {
    does: 'replaces JSON, promises, timers and process.exit',
    make: (name) =>
      modulePackage(
        name,
        `JSON.stringify = () => '"mine"'; JSON.parse = () => ({}); Promise.prototype.then = () => {};
         globalThis.setTimeout = globalThis.setImmediate = globalThis.queueMicrotask = () => {};
         process.exit = process.reallyExit = process.emit = () => {}; Object.prototype.toJSON = () => 'mine';
         Array.prototype.push = () => 0; Map.prototype.get = () => undefined;`,
      ),
    accepted: 'settled',
  },
];
