import { type EventName, eventHooks, type HookContext, PatchbayError } from 'patchbay-sdk';
import { isPaceEvent, type PaceEvent, paceEvents } from 'patchbay-sdk/pace';
import type { Callable, HandlerInput, Registration } from '../../kernel/index.ts';
import type { AnyPayload } from '../../ledger/index.ts';
import type { Views } from './views.ts';

/** Beside events, what a plugin of PACE may be called for. */
const others = ['webhooks', 'llmProvider', 'platform', 'reporter', 'host:ready'];

/**
 * The same plugin, its handlers of events called with views, and only at those that there is a view of. Throws
 * PLUGIN_INVALID for handlers that no plugin of PACE has: what its own process says of it is not believed.
 */
export function viewed(registration: Registration, views: Views): Registration {
  const { name, handlers } = registration;
  return { ...registration, dialect: 'pace', handlers: handlers.map((input) => seeing(name, input, views)) };
}

function seeing(plugin: string, input: HandlerInput, views: Views): HandlerInput {
  const { hook } = input;
  const name = input.id?.split('#')[0];
  if (input.wrapper === undefined && others.includes(hook)) return input;
  if (input.wrapper !== undefined || !isPaceEvent(name) || !isViewOf(name, hook)) {
    const message = `plugin "${plugin}" implements hook "${hook}", which is nothing for a plugin of PACE`;
    throw new PatchbayError('PLUGIN_INVALID', message, { plugin, hook });
  }
  const handler = input.handler as Callable;
  const isAwaited = eventHooks[hook as EventName].failure === 'closed';
  return {
    ...input,
    advisory: true,
    handler: async (payload: unknown, context: HookContext) => {
      const view = await views.of(name, payload as AnyPayload);
      if (view === undefined) return null;
      if (isAwaited) await views.caughtUp(plugin, payload as AnyPayload);
      return handler(view, context);
    },
  };
}

function isViewOf(name: PaceEvent, hook: string): boolean {
  return Object.hasOwn(eventHooks, hook) && (paceEvents[name].on as readonly EventName[]).includes(hook as EventName);
}
