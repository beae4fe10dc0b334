import type { Host } from 'patchbay-host';
import { type EventName, type EventPayload, type HookName, type PatchbayError, sample } from 'patchbay-sdk';
import type { Service } from '../../src/service.ts';

/** The host has plugins of its own. */
const isHosts = (plugin: string | undefined) => plugin?.startsWith('patchbay-') === true;

/** The plugins of the project, in order of registration. */
export function pluginsOf(host: Host): string[] {
  return host.kernel.plugins().filter((plugin) => !isHosts(plugin));
}

/** Which of their handlers are called for a hook, in order. */
export function handlersOf(host: Host, hook: HookName): { plugin: string; handler: string }[] {
  return host.kernel
    .hook(hook)
    .explain()
    .filter(({ plugin }) => !isHosts(plugin));
}

/** Hears of failures; keeps what those of the project say. */
export function hearing(): { failures: string[]; onFailure: (failure: PatchbayError) => void } {
  const failures: string[] = [];
  return { failures, onFailure: ({ plugin, message }) => void (isHosts(plugin) || failures.push(message)) };
}

/** Has an event of a day happen: a sample, changed as is said. */
export async function emit<E extends EventName>(service: Service, type: E, fields: Partial<EventPayload<E>> = {}) {
  const changes = { run_id: 'run-9', template: 'pace', ...fields } as Partial<EventPayload<E>>;
  const { event: _, event_id: __, at: ___, ...rest } = sample(type, changes as never);
  await service.emit(type, rest as never);
}
