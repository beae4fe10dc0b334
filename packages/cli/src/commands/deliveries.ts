import type { Delivery, DeliveryFilter, Endpoint } from 'patchbay-host/ledger';
import type { Run } from '../command.ts';
import { countOption, given, projectLedger } from '../ledger.ts';
import { columns, firstLine } from '../text.ts';

export const run: Run = async ({ cwd, options }) => {
  const limit = countOption('limit', options['limit']) ?? 1000;
  const failed = options['failed'] === true ? (['failed', 'refused'] as const) : [];
  const owed = options['owed'] === true ? (['owed', 'sending'] as const) : [];
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
    const lines = found.length === 0 ? 'No deliveries.' : columns(found.map(line));
    const disabled = (await ledger?.endpoints())?.filter(({ disabled_at }) => disabled_at !== null) ?? [];
    return { json: found.map(shown), text: [lines, ...disabled.map(disabledLine)].join('\n') };
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

function line({ id, event, plugin, handler, status, duration_ms, attempts, due_at, message }: Delivery): string[] {
  const took = duration_ms === null ? '' : `${duration_ms.toFixed(1)} ms`;
  const next = due_at === null ? '' : `tried ${attempts} times, next at ${due_at}: `;
  return [id, event, plugin, handler, status, took, next + firstLine(message)];
}

function disabledLine({ plugin, handler, disabled_at, message }: Endpoint): string {
  return `Nothing is sent for ${handler} of ${plugin} since ${disabled_at}: ${message ?? 'it failed'}`;
}
