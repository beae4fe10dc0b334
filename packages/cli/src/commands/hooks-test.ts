import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openHost, tryHandlers } from 'patchbay-host';
import {
  type EventName,
  type EventPayload,
  events,
  messageOf,
  PatchbayError,
  problemOf,
  sample,
  suggestion,
} from 'patchbay-sdk';
import { isPaceEvent, paceEvents } from 'patchbay-sdk/pace';
import type { Run } from '../command.ts';
import { paceEventSample } from '../pace-view.ts';
import { columns } from '../text.ts';

export const run: Run = async ({ args, options, cwd, version, progress }) => {
  const [named = '', event = ''] = args;
  const payload = payloadOf(event, options['payload'], cwd);
  // What it prints and logs is what its author wants to see.
  const write = (message: string) => progress(message.trimEnd());
  const log = () => ({ debug: write, info: write, warn: write, error: write });
  const host = await openHost({ cwd, version, log });
  try {
    // Plugins of PACE are known by the names of their entries too.
    const known = [...host.kernel.plugins(), ...host.quarantined.map(({ name }) => name)];
    const plugin = [named, named.replaceAll('_', '-')].find((name) => known.includes(name)) ?? named;
    const quarantined = host.quarantined.find(({ name }) => name === plugin);
    if (quarantined !== undefined) {
      const { reason, fix } = quarantined;
      throw new PatchbayError('PLUGIN_LOAD', `plugin "${plugin}" is quarantined: ${reason}`, { plugin, hint: fix });
    }
    const results = await tryHandlers(host.kernel, plugin, payload);
    const lines = results.map(({ handler, status, duration_ms, message }) => {
      return [handler, status, `${(duration_ms ?? 0).toFixed(1)} ms`, message ?? ''];
    });
    const bad = results.some(({ status }) => status === 'failed');
    return { json: { plugin, event, results }, text: columns(lines), exitCode: bad ? 1 : 0 };
  } finally {
    await host.close();
  }
};

function payloadOf(event: string, file: unknown, cwd: string): EventPayload<EventName> {
  const known = [...Object.keys(events), ...Object.keys(paceEvents)];
  const base = isPaceEvent(event) ? paceEventSample(event) : undefined;
  if (base === undefined && !Object.hasOwn(events, event)) {
    throw new PatchbayError('HOOK_UNKNOWN', `there is no event "${event}"; ${suggestion(event, known)}`, {
      hook: event,
    });
  }
  const name = base?.event ?? (event as EventName);
  const start = base ?? sample(name);
  if (file === undefined) return start;
  const path = resolve(cwd, String(file));
  let fields: unknown;
  try {
    fields = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new PatchbayError('USAGE', `--payload ${path}: ${messageOf(error)}`, { file: path });
  }
  const payload = { ...start, ...(fields as object), event: name };
  const problem = problemOf(events[name], payload);
  if (problem !== undefined)
    throw new PatchbayError('EVENT_INVALID', `${path}: ${problem}`, { file: path, hook: name });
  return payload as EventPayload<EventName>;
}
