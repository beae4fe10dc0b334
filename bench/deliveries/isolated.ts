import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type EventPayload, hooks } from 'patchbay-sdk';
import { Kernel } from '../../packages/host/src/kernel/index.ts';
import { IsolatedPlugin } from '../../packages/host/src/sandbox/isolated/index.ts';
import { accepted, inFolder, write } from './project.ts';
import { sideBySide, type Taken } from './side-by-side.ts';

type Accepted = EventPayload<'turn:accepted'>;

/** How many at the same time. */
export const atOnce = 32;
/** So many calls follow each other in one measurement. */
const inARow = 100;
/** So many calls for each round come before, until the engine has optimised both sides of them. */
const warmUp = 1000;
const module = `export default {
  name: 'x', version: '1.0.0', hooks: { 'turn:accepted': () => ({ verdict: 'ok' }) },
};
`;
/** The same as if there were no process yet: read the event, load the plugin, call it, tell its answer. */
const starting = `const { readFileSync } = require('node:fs');
const payload = JSON.parse(readFileSync(0, 'utf8'));
import(process.argv[1]).then(async ({ default: { hooks } }) => {
  console.log(JSON.stringify(await hooks[payload.event](payload)));
});`;

/** A call of an isolated module beside starting Node for it: each `alone`, and with 32 of them `at once`. */
export function beside(rounds: number): Promise<Taken> {
  return inFolder(async (dir) => {
    const file = join(dir, 'plugin.mjs');
    write(dir, { 'plugin.mjs': module });
    const options = { name: 'x', module: file, dir, project: dir, config: {}, grants: [], env: {} };
    const plugin = new IsolatedPlugin({ ...options, log: () => {} });
    const failed = (failure: Error) => {
      throw failure;
    };
    const kernel = new Kernel(hooks, { onFailure: failed });
    kernel.register(plugin.registration(await plugin.describe()));
    try {
      await perCall(1, rounds * warmUp, (payload) => kernel.call('turn:accepted', payload));
      return await sideBySide(
        {
          node: () => perCall(1, 1, (payload) => node(file, payload)),
          'node at once': () => perCall(atOnce, 1, (payload) => node(file, payload)),
          alone: () => perCall(1, inARow, (payload) => kernel.call('turn:accepted', payload)),
          'at once': () => perCall(atOnce, inARow, (payload) => kernel.call('turn:accepted', payload)),
        },
        rounds,
        0,
      );
    } finally {
      await plugin.close();
    }
  });
}

/** Milliseconds for each of so many calls in a row, so many times at once. */
async function perCall(times: number, calls: number, call: (payload: Accepted) => unknown): Promise<number> {
  const rows = Array.from({ length: times }, () => Array.from({ length: calls }, accepted));
  const start = performance.now();
  await Promise.all(
    rows.map(async (payloads) => {
      for (const payload of payloads) await call(payload);
    }),
  );
  return (performance.now() - start) / (times * calls);
}

async function node(file: string, payload: Accepted): Promise<void> {
  const child = spawn(process.execPath, ['-e', starting, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = child.stdout.setEncoding('utf8').toArray();
  child.stdin.end(JSON.stringify(payload));
  await once(child, 'close');
  if (JSON.parse((await said).join('')).verdict !== 'ok') throw new Error('the plugin gave no verdict');
}
