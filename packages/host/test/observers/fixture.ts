import type { EventBus, Hooks, Observer } from 'patchbay-sdk';
import { definePlugin, hooks } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { fromDefinition } from '../../src/dialects/native.ts';
import { Kernel } from '../../src/kernel/index.ts';
import type { LedgerStore } from '../../src/ledger/index.ts';
import { Observers } from '../../src/observers/index.ts';
import { opened } from '../ledger/scratch.ts';

/** An observer that subscribes as is said, and keeps what it is told. */
export function watching(name: string, to: Readonly<Record<string, (told: Told) => unknown>> | readonly string[]) {
  const told: [string, Told][] = [];
  const calls: string[] = [];
  const subscriptions = Array.isArray(to) ? Object.fromEntries(to.map((one) => [one, () => {}])) : to;
  const observer: Observer = {
    name,
    subscribe: (bus: EventBus) => {
      calls.push('subscribe');
      for (const [event, act] of Object.entries(subscriptions as Record<string, (told: Told) => unknown>)) {
        bus.subscribe(event, (it) => {
          told.push([event, it]);
          return act(it) as undefined;
        });
      }
    },
    close: async () => void calls.push('close'),
  };
  return { observer, told, calls };
}

export type Told = Readonly<Record<string, unknown>>;

/** Plugins with these observers, told of a ledger. */
export async function observing(
  plugins: Readonly<Record<string, () => unknown>>,
  { ledger, listenerMs = 300 }: { ledger?: LedgerStore; listenerMs?: number } = {},
) {
  const kernel = new Kernel<Hooks>(hooks, {});
  for (const [name, observer] of Object.entries(plugins)) {
    const handler = { deadlineMs: 300, handler: observer };
    kernel.register(fromDefinition({ ...definePlugin({ name, version: '1.0.0' }), hooks: { observer: handler } }));
  }
  const store = ledger ?? (await opened());
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const observers = await Observers.start({ kernel, ledger: store, project: '/p', warn, listenerMs });
  onTestFinished(() => observers.close());
  return { observers, ledger: store, warnings };
}
