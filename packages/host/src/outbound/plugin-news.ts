import type { EventName, EventPayload } from 'patchbay-sdk';
import type { Discovered } from '../install/discover.ts';
import { type LedgerStore, newEvent } from '../ledger/index.ts';

/** What the ledger last heard of a plugin. */
interface Known {
  readonly version: string;
  readonly enabled: boolean;
}

/**
 * What has happened to the installed plugins since the ledger last heard of them, as events. Commands change plugins while
 * no host may be running; the next host writes it down, so that those who watch it are called.
 */
export async function pluginNews(ledger: LedgerStore, now: Discovered): Promise<EventPayload<EventName>[]> {
  const before = await remembered(ledger);
  const removed = [...before].filter(([name]) => !now.installed.has(name));
  return [
    ...removed.map(([plugin, { version }]) => newEvent('plugin:removed', { plugin, version })),
    ...[...now.installed].flatMap(([plugin, known]) => changes(plugin, before.get(plugin), known)),
    ...now.quarantined.map(({ name: plugin, version, reason, fix }) =>
      newEvent('plugin:quarantined', { plugin, version, reason: `${reason}; ${fix}` }),
    ),
  ];
}

function changes(plugin: string, was: Known | undefined, { version, enabled }: Known): EventPayload<EventName>[] {
  const news: EventPayload<EventName>[] = [];
  if (was === undefined) news.push(newEvent('plugin:installed', { plugin, version }));
  else if (was.version !== version) {
    news.push(newEvent('plugin:upgraded', { plugin, version, from_version: was.version }));
  }
  if ((was?.enabled ?? true) !== enabled) {
    news.push(newEvent(enabled ? 'plugin:enabled' : 'plugin:disabled', { plugin, version }));
  }
  return news;
}

async function remembered(ledger: LedgerStore): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  for await (const { type, payload } of ledger.events({ type: 'plugin:*' })) {
    if (type === 'plugin:quarantined') continue;
    const { plugin, version } = payload as EventPayload<'plugin:installed'>;
    if (type === 'plugin:removed') known.delete(plugin);
    else known.set(plugin, { version, enabled: type === 'plugin:disabled' ? false : stays(type, known.get(plugin)) });
  }
  return known;
}

/** An upgrade leaves a plugin switched on or off as it was. */
function stays(type: EventName, was: Known | undefined): boolean {
  return type === 'plugin:upgraded' ? (was?.enabled ?? true) : true;
}
