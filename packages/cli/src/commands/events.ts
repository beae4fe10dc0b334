import type { EventFilter, LedgerStore, StoredEvent } from 'patchbay-host/ledger';
import type { Input, Output, Run } from '../command.ts';
import { countOption, given, projectLedger, timeOption } from '../ledger.ts';
import { firstLine } from '../text.ts';

export const run: Run = async (input) => {
  const { options, cwd } = input;
  const since = timeOption('since', options['since']);
  const until = timeOption('until', options['until']);
  const limit = countOption('limit', options['limit']);
  const filter: EventFilter = {
    ...given('run', options['run']),
    ...given('type', options['type']),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  return { lines: lines(await projectLedger(cwd), filter, limit, input) };
};

async function* lines(
  ledger: LedgerStore | undefined,
  filter: EventFilter,
  limit: number | undefined,
  { options, signal }: Input,
): AsyncIterable<Output> {
  if (ledger === undefined) return;
  try {
    let afterSeq = 0;
    if (limit !== undefined) {
      const last: StoredEvent[] = [];
      for await (const event of ledger.events({ ...filter, limit, newestFirst: true })) last.unshift(event);
      for (const event of last) yield show(event);
      afterSeq = last.at(-1)?.seq ?? 0;
      if (options['follow'] !== true) return;
    }
    const more = { ...filter, afterSeq };
    const events = options['follow'] === true ? ledger.follow(more, signal) : ledger.events(more);
    for await (const event of events) yield show(event);
  } finally {
    await ledger.close();
  }
}

function show({ seq, id, type, at, run_id, turn_id, role, phase, payload, hash }: StoredEvent): Output {
  const about = [run_id, turn_id, role, firstLine(payload.summary)].filter((part) => part !== null).join('  ');
  return {
    json: { seq, id, type, at, run_id, turn_id, role, phase, payload, hash },
    text: `${String(seq).padStart(6)}  ${at}  ${type.padEnd(18)}  ${about}`.trimEnd(),
  };
}
