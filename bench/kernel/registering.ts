import { Kernel } from 'patchbay-host/kernel';
import { type Effort, median } from '../measure.ts';
import { goal, type Row } from '../report.ts';
import { rowOf } from './peers.ts';

const hooks = Array.from({ length: 10 }, (_, i) => `hook${i}`);

/** Microseconds per plugin to register `n` plugins with ten hooks each, and to call each hook once at the end. */
function perPlugin(n: number): number {
  globalThis.gc?.();
  const kernel = new Kernel(Object.fromEntries(hooks.map((hook) => [hook, rowOf('notify')])));
  const start = process.hrtime.bigint();
  for (let i = 0; i < n; i++) {
    kernel.register({
      name: `p${i}`,
      handlers: hooks.map((hook) => ({
        hook,
        handler: () => {},
        ...(i % 10 === 0 && i > 0 ? { after: [`p${i - 1}`] } : {}),
      })),
    });
  }
  for (const hook of hooks) kernel.hook(hook).callSync({});
  return Number(process.hrtime.bigint() - start) / 1000 / n;
}

/** Whether a plugin costs the same to register among a thousand as among a hundred. */
export function registering({ rounds }: Effort) {
  perPlugin(100);
  const few: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < Math.min(rounds, 15); round++) {
    few.push(perPlugin(100));
    many.push(perPlugin(1000));
  }
  const [small, large] = [median(few), median(many)];
  const row: Row = {
    case: 'registering a plugin with 10 hooks among 1000',
    ours: large,
    unit: 'µs',
    peers: { 'among 100': small },
  };
  return { row, goal: goal('registering among 1000 vs among 100, per plugin', 1.5, large / small) };
}
