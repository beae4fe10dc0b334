import type { Log } from 'patchbay-sdk';
import { Budget } from '../budget.ts';
import type { LogLine } from '../options.ts';
import type { Peer } from '../peer.ts';

/** How much a plugin may log per second, in characters. */
const logPerSecond = 64 * 1024;

/** A log that the host writes. What is too much is left out, and counted; `settle` tells of that. Never throws. */
export function logTo(peer: Peer): { readonly log: Log; settle(): void } {
  const send = (line: LogLine) => peer.notify('log', line);
  const budget = new Budget(logPerSecond, (dropped) =>
    send({ level: 'warn', message: `${dropped} characters of this log were dropped: too many in a second` }),
  );
  const write = (level: LogLine['level']) => (message: string, fields?: Record<string, unknown>) => {
    try {
      const line: LogLine = { level, message: String(message), ...(fields === undefined ? {} : { fields }) };
      if (budget.take(JSON.stringify(line).length)) send(line);
    } catch {
      send({ level, message: 'logged something that cannot be shown' });
    }
  };
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return { log, settle: () => budget.settle() };
}
