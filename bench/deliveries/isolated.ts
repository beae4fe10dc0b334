import { join } from 'node:path';
import { type EventPayload, hooks } from 'patchbay-sdk';
import { Kernel } from '../../packages/host/src/kernel/index.ts';
import { IsolatedPlugin } from '../../packages/host/src/sandbox/isolated/index.ts';
import { oneCall } from './one-call.ts';
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
/**
 * A call of an isolated module beside starting Node for it, in the same confinement: each `alone`, and with 32 of them `at once`.
 * `node` does for its one call what is done for each of ours; `least` does as little as can be.
 */
export function beside(rounds: number): Promise<Taken> {
  return inFolder(async (dir) => {
    const file = join(dir, 'plugin.mjs');
    write(dir, { 'plugin.mjs': module });
    const options = { name: 'x', module: file, dir, project: dir, config: {}, grants: [], env: {} };
    const plugin = new IsolatedPlugin({ ...options, log: () => {} });
    const started = await oneCall({ ...options, log: () => {} });
    const failed = (failure: Error) => {
      throw failure;
    };
    const kernel = new Kernel(hooks, { onFailure: failed });
    kernel.register(plugin.registration(await plugin.describe()));
    try {
      await perCall(1, rounds * warmUp, (payload) => kernel.call('turn:accepted', payload));
      return await sideBySide(
        {
          node: () => perCall(1, 1, started.runner),
          'node at once': () => perCall(atOnce, 1, started.runner),
          least: () => perCall(1, 1, started.least),
          'least at once': () => perCall(atOnce, 1, started.least),
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
