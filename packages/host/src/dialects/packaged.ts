import { createHash } from 'node:crypto';
import { type EventName, type EventPayload, eventHooks, type HookContext, type Log } from 'patchbay-sdk';
import type { Found } from '../install/discover.ts';
import type { ManifestHandler } from '../install/manifest/manifest-type.ts';
import type { HandlerInput, Registration } from '../kernel/index.ts';
import type { HttpClient } from '../outbound/http.ts';
import type { Outcome } from '../outbound/outcome.ts';
import { runProcess, runScript } from '../outbound/script.ts';
import { tell } from '../outbound/told.ts';
import type { Launcher } from '../sandbox/launcher.ts';

/** What declared handlers are called with. */
export interface Tools {
  readonly launcher: Launcher;
  /** Made when it is first needed: few plugins call addresses, and the library behind it takes long to load. */
  http(): Promise<HttpClient>;
  /** The folder of the project. */
  readonly project: string;
  /** The environment of the host; handlers see what was granted. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How long after its own timeout a handler is given up by the kernel, should it still not have ended. */
const graceMs = 5000;

/** What the kernel takes of the scripts, processes and addresses that the manifest of a package declares. */
export function fromManifest(found: Found, tools: Tools, log: Log): Registration {
  const { name, manifest, config } = found;
  const ids = idsOf(manifest.handlers);
  return {
    name,
    dialect: manifest.form.startsWith('agentxchain') ? 'agentxchain' : 'native',
    config,
    log,
    handlers: manifest.handlers.map((handler, i) => declared(found, handler, ids[i] as string, tools)),
  };
}

function declared(found: Found, handler: ManifestHandler, id: string, tools: Tools): HandlerInput {
  const retries = handler.type === 'http' ? 2 : 1;
  return {
    hook: handler.event,
    id,
    deadlineMs: retries * handler.timeoutMs + graceMs,
    ...(isClosed(handler.event) ? { advisory: !mayBlock(found, handler) } : {}),
    handler: async (payload: EventPayload<EventName>, context: HookContext) => {
      const outcome = await perform(found, handler, payload, context, tools);
      if (outcome.output !== '') context.log.info(outcome.output, { event: payload.event, handler: id });
      return tell(outcome);
    },
  };
}

async function perform(
  { name, dir, entry, config, env: granted, secrets }: Found,
  handler: ManifestHandler,
  payload: EventPayload<EventName>,
  context: HookContext,
  { launcher, http, project, env }: Tools,
): Promise<Outcome> {
  const { signal } = context;
  const key = context.delivery ?? payload.event_id;
  if (handler.type === 'http') {
    const { callHttp } = await import('../outbound/http.ts');
    return callHttp(handler, {
      client: await http(),
      plugin: { name, grants: entry.grants },
      env,
      payload,
      key,
      signal,
    });
  }
  const plugin = { name, version: entry.version, dir, config, env: granted };
  const call = { launcher, plugin, project, payload, key, signal, secrets };
  return handler.type === 'script' ? runScript(handler, call) : runProcess(handler, call);
}

function isClosed(event: string): boolean {
  return Object.hasOwn(eventHooks, event) && eventHooks[event as EventName].failure === 'closed';
}

/** The document's handlers never block; those of the 0.1 form do if they say so and the operator lets them. */
function mayBlock({ entry }: Found, handler: ManifestHandler): boolean {
  return handler.type === 'process' && handler.blocking && entry.grants.includes(`block:${handler.event}`);
}

/** What each handler is called in reports and in the ledger: the same from start to start, unique for its event. */
function idsOf(handlers: readonly ManifestHandler[]): string[] {
  const seen = new Map<string, number>();
  return handlers.map((handler) => {
    const id = idOf(handler);
    const place = `${handler.event} ${id}`;
    const count = (seen.get(place) ?? 0) + 1;
    seen.set(place, count);
    return count === 1 ? id : `${id}#${count}`;
  });
}

function idOf(handler: ManifestHandler): string {
  switch (handler.type) {
    case 'script':
      return handler.run;
    case 'process':
      return handler.name ?? handler.phase;
    case 'http': {
      // Credentials and queries may be secret; two addresses that differ in nothing else are still two.
      const { origin, pathname, search } = new URL(handler.url);
      const more = search === '' ? '' : `?${createHash('sha256').update(search).digest('hex').slice(0, 8)}`;
      return `${origin}${pathname}${more}`;
    }
  }
}
