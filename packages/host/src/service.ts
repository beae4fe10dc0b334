import { join } from 'node:path';
import type { EventName, Hooks } from 'patchbay-sdk';
import { holdProject } from './config/holder.ts';
import type { Discovered } from './install/discover.ts';
import type { Kernel } from './kernel/index.ts';
import { type EventFields, type LedgerStore, newEvent, openLedger } from './ledger/index.ts';
import { type Emitted, Emitter } from './outbound/emitter.ts';
import { Lanes } from './outbound/lanes.ts';
import { pluginNews } from './outbound/plugin-news.ts';
import { Launcher } from './sandbox/launcher.ts';

/** A host at work: what it writes down, and what it delivers. */
export interface Service {
  readonly ledger: LedgerStore;
  /**
   * Makes an event happen: written down, then told to those who watch it. Where it may be refused, resolves when all have
   * let it pass, and throws HOOK_REFUSED otherwise.
   */
  emit<E extends EventName>(type: E, fields: EventFields<E>): Promise<Emitted<E>>;
  /** Resolves when everything that can be delivered now has been. */
  rest(): Promise<void>;
  /** Finishes the deliveries under way; what is still owed is kept for the next host. */
  close(): Promise<void>;
}

/** Where the ledger of a project is. */
export function ledgerFile(projectDir: string): string {
  return join(projectDir, '.patchbay', 'ledger.db');
}

/** Begins to work in a project, as its only host. */
export async function startService(kernel: Kernel<Hooks>, projectDir: string, plugins: Discovered): Promise<Service> {
  const release = holdProject(join(projectDir, '.patchbay'));
  let ledger: LedgerStore | undefined;
  try {
    await Launcher.sweep({ project: projectDir });
    ledger = await openLedger(ledgerFile(projectDir));
    const editions = new Map(plugins.found.map(({ name, entry }) => [name, entry]));
    const emitter = new Emitter(kernel, ledger, (plugin) => {
      const entry = editions.get(plugin);
      return { version: entry?.version ?? null, digest: entry?.integrity ?? null };
    });
    const lanes = new Lanes(kernel, ledger, emitter);
    for (const news of await pluginNews(ledger, plugins)) {
      if (news.event === 'plugin:removed') await ledger.cancel(news.plugin, 'the plugin was removed');
      await emitter.emit(news);
    }
    await lanes.start();
    const store = ledger;
    return {
      ledger: store,
      emit: (type, fields) => emitter.emit(newEvent(type, fields)),
      rest: () => lanes.rest(),
      close: async () => {
        await lanes.close();
        await store.close();
        release();
      },
    };
  } catch (error) {
    await ledger?.close();
    release();
    throw error;
  }
}
