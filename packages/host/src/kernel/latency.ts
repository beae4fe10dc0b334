import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { HookTable } from 'patchbay-sdk';
import type { Kernel } from './kernel.ts';

/** How long one handler took, in nanoseconds. */
export interface Latency {
  readonly plugin: string;
  readonly hook: string;
  readonly handler: string;
  readonly histogram: RecordableHistogram;
}

/** Measures how long handlers take, for one call in `every`: reading a clock costs more than most handlers do. */
export function measureLatency<T extends HookTable>(kernel: Kernel<T>, { every = 256 }: { every?: number } = {}) {
  const byHandler = new Map<string, Latency>();
  const stop = kernel.intercept(
    ({ plugin, hook, handler }) => {
      const key = JSON.stringify([hook, plugin, handler]);
      let latency = byHandler.get(key);
      if (latency === undefined) {
        latency = { plugin, hook, handler, histogram: createHistogram() };
        byHandler.set(key, latency);
      }
      const { histogram } = latency;
      const start = process.hrtime.bigint();
      return () => histogram.record(Math.max(1, Number(process.hrtime.bigint() - start)));
    },
    { every },
  );
  return { stop, latencies: (): readonly Latency[] => [...byHandler.values()] };
}
