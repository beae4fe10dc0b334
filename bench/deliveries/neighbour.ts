import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin } from 'patchbay-sdk';
import { accepted, inFolder, type Package, project, scriptPackage, withHost } from './project.ts';

/** How long deliveries to a well-behaved plugin took, from when the event began to happen, in milliseconds. */
export interface Latencies {
  /** Once the others no longer wait for a plugin that never catches up. */
  readonly steady: readonly number[];
  /** The longest of all, from the first event on. */
  readonly worst: number;
}

const everyMs = 10;

/** With whom it has to live. Their handlers come before its own. */
const company: Readonly<Record<string, readonly Package[]>> = {
  alone: [],
  'beside a hanging script': [scriptPackage('hanging', 'exec sleep 1000', 300)],
  'beside a flooding script': [scriptPackage('flooding', 'exec yes', 300)],
};

/** The latencies of an in-process plugin, in each company. It is steady after `patienceMs`, and measured for `steadyMs`. */
export async function latencies(patienceMs: number, steadyMs: number): Promise<Record<string, Latencies>> {
  const found: Record<string, Latencies> = {};
  for (const [name, packages] of Object.entries(company)) {
    found[name] = await inFolder((dir) => measure(join(dir, 'project'), packages, patienceMs, steadyMs));
  }
  return found;
}

async function measure(
  dir: string,
  packages: readonly Package[],
  patienceMs: number,
  steadyMs: number,
): Promise<Latencies> {
  await project(dir, packages);
  const began = new Map<string, number>();
  const taken: { at: number; ms: number }[] = [];
  const neighbour = definePlugin({
    name: 'neighbour',
    version: '1.0.0',
    hooks: {
      'turn:accepted': {
        trylast: true,
        handler: ({ event_id }) => {
          const at = began.get(event_id) ?? Number.NaN;
          taken.push({ at, ms: performance.now() - at });
        },
      },
    },
  });
  return withHost(
    dir,
    async (service) => {
      const start = performance.now();
      const emitted: Promise<unknown>[] = [];
      while (performance.now() < start + patienceMs + steadyMs) {
        const event = accepted();
        began.set(event.event_id, performance.now());
        emitted.push(service.emit('turn:accepted', event));
        await sleep(everyMs);
      }
      await Promise.all(emitted);
      for (let i = 0; taken.length < emitted.length; i++) {
        if (i === 1000) throw new Error(`${emitted.length - taken.length} events did not reach the neighbour`);
        await sleep(everyMs);
      }
      const steady = taken.filter(({ at }) => at > start + patienceMs).map(({ ms }) => ms);
      return { steady, worst: Math.max(...taken.map(({ ms }) => ms)) };
    },
    (host) => host.load(neighbour),
  );
}
