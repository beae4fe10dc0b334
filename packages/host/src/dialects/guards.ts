import { eventHooks, type Hooks, refuse } from 'patchbay-sdk';
import type { Quarantined } from '../install/discover.ts';
import type { Kernel } from '../kernel/index.ts';

/**
 * Has somebody stand in for a quarantined plugin at the events it was to guard: they are refused. A plugin that could be got rid
 * of by damaging it would guard nothing. For one that guards nothing there is nobody: what it is owed waits until it is back.
 */
export function standIn(kernel: Kernel<Hooks>, { name, reason, fix, guards }: Quarantined): void {
  const known = guards.filter((event) => Object.hasOwn(eventHooks, event));
  if (known.length === 0 || kernel.has(name)) return;
  const handlers = known.map((hook) => ({
    hook,
    handler: () => refuse(`plugin "${name}" guards ${hook} and is quarantined: ${reason}; ${fix}, or disable it`),
  }));
  kernel.register({ name, handlers });
}
