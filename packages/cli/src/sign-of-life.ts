import type { SignOfLife } from 'patchbay-host';
import { elapsed } from './elapsed.ts';

/** A host that has given none for longer is not at work. */
const lostMs = 15_000;
/** Shorter pauses are not worth a word. */
const silenceMs = 30_000;

/** How a turn stands that is worked on, by its last sign of life. */
export function lifeText({ at, last_output_at }: SignOfLife, now = Date.now()): string {
  const since = now - Date.parse(at);
  if (since > lostMs) return `no sign of life for ${elapsed(since)}`;
  const silent = last_output_at === null ? 0 : now - Date.parse(last_output_at);
  const said = silent > silenceMs ? `, nothing printed for ${elapsed(silent)}` : '';
  return `working, last sign of life ${elapsed(since)} ago${said}`;
}
