import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { HookTable } from 'patchbay-sdk';
import type { Seen } from './intercept.ts';
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
  const all: Latency[] = [];
  const byHook = new Map<string, Map<string, Map<string, Latency>>>();
  const latencyOf = ({ hook, plugin, handler }: Seen): Latency => {
    const known = byHook.get(hook)?.get(plugin)?.get(handler);
    if (known !== undefined) return known;
    const latency = { plugin, hook, handler, histogram: createHistogram() };
    const byPlugin = byHook.get(hook) ?? new Map<string, Map<string, Latency>>();
    byHook.set(hook, byPlugin);
    const byHandler = byPlugin.get(plugin) ?? new Map<string, Latency>();
    byPlugin.set(plugin, byHandler);
    byHandler.set(handler, latency);
    all.push(latency);
    return latency;
  };
  const stop = kernel.intercept(
    (seen) => {
      const { histogram } = latencyOf(seen);
      const start = performance.now();
      return () => histogram.record(Math.max(1, Math.round((performance.now() - start) * 1e6)));
    },
    { every },
  );
  return { stop, latencies: (): readonly Latency[] => all };
}
