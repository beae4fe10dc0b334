import type { Delivery, DeliveryFilter } from 'patchbay-host/ledger';
import type { Run } from '../command.ts';
import { countOption, given, projectLedger } from '../ledger.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ cwd, options }) => {
  const limit = countOption('limit', options['limit']) ?? 1000;
  const failed = options['failed'] === true ? (['failed', 'refused'] as const) : [];
  const owed = options['owed'] === true ? (['owed'] as const) : [];
  const status = [...failed, ...owed];
  const filter: DeliveryFilter = {
    ...given('event', options['event']),
    ...given('plugin', options['plugin']),
    ...given('run', options['run']),
    ...(status.length === 0 ? {} : { status }),
  };
  const ledger = await projectLedger(cwd);
  try {
    const found: Delivery[] = [];
    if (ledger !== undefined) {
      for await (const delivery of ledger.deliveries({ ...filter, limit, newestFirst: true })) found.unshift(delivery);
    }
    return { json: found.map(shown), text: found.length === 0 ? 'No deliveries.' : columns(found.map(line)) };
  } finally {
    await ledger?.close();
  }
};

/** Everything that is known of a delivery, what people look for first in front. */
function shown(delivery: Delivery): object {
  const { id, event_id, event, plugin, handler, status, attempts, exit_code, http_status, verdict, message } = delivery;
  const { duration_ms, ...rest } = delivery;
  const first = { id, event_id, event, plugin, handler, status, attempts, exit_code, http_status, verdict, message };
  return { ...first, duration_ms, ...rest };
}

function line({ id, event, plugin, handler, status, duration_ms, message }: Delivery): string[] {
  const took = duration_ms === null ? '' : `${duration_ms.toFixed(1)} ms`;
  return [id, event, plugin, handler, status, took, (message ?? '').split('\n')[0] ?? ''];
}
