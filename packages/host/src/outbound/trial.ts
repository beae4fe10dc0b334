import { type EventName, type EventPayload, type Hooks, PatchbayError, suggestion } from 'patchbay-sdk';
import type { Kernel } from '../kernel/index.ts';
import type { Settlement } from '../ledger/index.ts';
import { callOne } from './lane.ts';
import { addressOf } from './sending/request.ts';
import { settlementOf } from './settlement.ts';

/** What came of trying one handler. */
export interface Trial extends Settlement {
  readonly handler: string;
}

/**
 * Calls each handler that a plugin has for an event, as a delivery would, and writes nothing down. Throws PLUGIN_UNKNOWN,
 * or HOOK_UNKNOWN if it has none.
 */
export async function tryHandlers(
  kernel: Kernel<Hooks>,
  plugin: string,
  payload: EventPayload<EventName>,
): Promise<Trial[]> {
  if (!kernel.has(plugin)) {
    const known = kernel.plugins();
    const message = `no plugin "${plugin}" is running; ${suggestion(plugin, known)}`;
    throw new PatchbayError('PLUGIN_UNKNOWN', message, { plugin });
  }
  const hook = kernel.hook(payload.event);
  const entries = [...hook.wrappers(), ...hook.handlers()].filter((entry) => entry.plugin === plugin);
  if (entries.length === 0) {
    const has = kernel.hooksOf(plugin).join(', ');
    const message = `plugin "${plugin}" has no handler for ${payload.event}; it has some for ${has}`;
    throw new PatchbayError('HOOK_UNKNOWN', message, { plugin, hook: payload.event });
  }
  const trials: Trial[] = [];
  for (const entry of entries) {
    const handled = await callOne(kernel, entry, payload, `trial.${payload.event_id}`);
    const { request, ...settlement } = settlementOf(handled, { hide: (value) => value, rights: null });
    // Nothing is sent: this only says what would be.
    const shown = request == null ? {} : ({ status: 'ok', message: `would send to ${addressOf(request)}` } as const);
    trials.push({ handler: entry.id, ...settlement, ...shown });
  }
  return trials;
}
