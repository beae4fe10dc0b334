import type { LogLevel } from '@slack/web-api';
import type { Log } from 'patchbay-sdk';

/** A log of ours, as Slack's libraries write to it. */
export function slackLog(log: Log) {
  const words = (parts: unknown[]) => parts.map(String).join(' ');
  return {
    // They print whole messages there.
    debug: () => {},
    info: (...parts: unknown[]) => log.debug(words(parts)),
    warn: (...parts: unknown[]) => log.warn(words(parts)),
    error: (...parts: unknown[]) => log.warn(words(parts)),
    setLevel: () => {},
    getLevel: () => 'info' as LogLevel,
    setName: () => {},
  };
}
