import { eventHooks, refuse } from 'patchbay-sdk';
import type { Quarantined } from '../install/discover.ts';
import type { Registration } from '../kernel/index.ts';

/**
 * Stands in for a quarantined plugin at the events it was to guard: they are refused. A plugin that could be got rid of by
 * damaging it would guard nothing.
 */
export function standIn({ name, reason, fix, guards }: Quarantined): Registration {
  return {
    name,
    handlers: guards
      .filter((event) => Object.hasOwn(eventHooks, event))
      .map((hook) => ({
        hook,
        handler: () => refuse(`plugin "${name}" guards ${hook} and is quarantined: ${reason}; ${fix}, or disable it`),
      })),
  };
}
