import { newEvent } from '../ledger/index.ts';
import type { Emitter } from './emitter.ts';
import type { Due } from './lane.ts';

/** Makes what tells, by an event, of a delivery that failed and will not be tried again. Never rejects. */
export function tellingOfFailures(emitter: Emitter): (due: Due, message: string | null) => Promise<void> {
  return async ({ delivery, event }, message) => {
    // That this failed is told by `deliveries`; telling it by an event of its own would never end.
    if (event.type === 'delivery:failed') return;
    const { id: delivery_id, plugin, handler } = delivery;
    const { run_id, turn_id, role, phase } = event;
    const about = { run_id, turn_id, role, phase, delivery_id, plugin, handler, error: message ?? 'failed' };
    await emitter.emit(newEvent('delivery:failed', about)).catch(() => {});
  };
}
