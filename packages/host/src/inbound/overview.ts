import type { Hooks } from 'patchbay-sdk';
import type { Kernel } from '../kernel/index.ts';
import type { LedgerStore } from '../ledger/index.ts';
import { readPaused } from './pauses.ts';
import { queueOf } from './queues.ts';
import { type Route, Routes } from './routes.ts';

/** A route, for people. */
export interface ShownWebhook {
  readonly path: string;
  readonly plugin: string;
  readonly scheme: string;
  readonly state: 'open' | 'paused';
  /** How many requests the ledger has of it, in all, failed, and still to be handled. */
  readonly received: number;
  readonly failed: number;
  readonly waiting: number;
}

/** The routes of a project, as its plugins are now. `ledger` is undefined where nothing has happened yet. */
export async function listWebhooks(
  kernel: Kernel<Hooks>,
  project: string,
  ledger: LedgerStore | undefined,
): Promise<ShownWebhook[]> {
  const { all, paths } = await readPaused(ledger, project);
  const routes = await Routes.of(kernel, () => Promise.reject(new Error('runs can only be begun while serving')));
  const shown = routes.all.map(async (route) => {
    const { path, plugin, proof } = route;
    const state = all || paths.has(path) ? ('paused' as const) : ('open' as const);
    return { path, plugin, scheme: proof.scheme, state, ...(await countsOf(route, ledger)) };
  });
  return Promise.all(shown);
}

async function countsOf({ plugin, path: handler }: Route, ledger: LedgerStore | undefined) {
  const counts = { received: 0, failed: 0, waiting: 0 };
  for await (const { status } of ledger?.deliveries({ plugin: queueOf(plugin), handler }) ?? []) {
    counts.received += 1;
    if (status === 'failed') counts.failed += 1;
    if (status === 'owed') counts.waiting += 1;
  }
  return counts;
}
