import {
  type CapabilityName,
  capabilityHooks,
  messageOf,
  PatchbayError,
  problemOf,
  suggestion,
  type Verdict,
} from 'patchbay-sdk';
import { isPaceEvent, type PaceEvent, paceEvents } from 'patchbay-sdk/pace';
import { freezeDeep, type HandlerInput } from '../../kernel/index.ts';
import type { Group, Part } from './entry.ts';
import { type Instance, instanceOf, methodOf, type Wrong } from './instance.ts';
import { routesOf } from './routes.ts';

/** What the handler of an event is called with, in place of the payload. */
export interface View {
  readonly event: PaceEvent;
  readonly context: Readonly<Record<string, unknown>>;
}

/** What an entry is to the kernel. Handlers of events want a {@link View}; their id begins with the name of the event. */
export interface Adapted {
  readonly handlers: readonly HandlerInput[];
  /** What is not wrong but will not do what the author thinks. */
  readonly warnings: readonly string[];
}

/** The hook of the kernel through which each kind of thing is provided. */
const capabilities: Partial<Record<Group, CapabilityName>> = {
  llm_providers: 'llmProvider',
  platforms: 'platform',
  reporters: 'reporter',
};

/** Makes handlers of what an entry brings. Throws PLUGIN_INVALID. */
export function adapt(entry: string, parts: readonly Part[], config: unknown): Adapted {
  const frozen = freezeDeep(config);
  const adaptation = new Adaptation(entry);
  for (const part of parts) {
    const wrong: Wrong = (what) =>
      new PatchbayError('PLUGIN_INVALID', `plugin "${entry}": ${part.where} ${what}`, { plugin: entry });
    const instance = instanceOf(part, frozen, wrong);
    try {
      adaptation.add(part.group, instance, wrong);
    } catch (thrown) {
      // A getter, or a method that lists what it brings.
      throw thrown instanceof PatchbayError ? thrown : wrong(`cannot be read: ${messageOf(thrown)}`);
    }
  }
  return adaptation.end();
}

class Adaptation {
  readonly #entry: string;
  readonly #handlers: HandlerInput[] = [];
  readonly #routes: Instance[] = [];
  readonly #warnings: string[] = [];
  readonly #ids = new Map<string, number>();

  constructor(entry: string) {
    this.#entry = entry;
  }

  add(group: Group, instance: Instance, wrong: Wrong): void {
    const hook = capabilities[group];
    if (hook !== undefined) this.#provide(hook, instance, wrong);
    else if (group === 'hooks') this.#hook(instance, wrong);
    else if (group === 'webhook_in') this.#route(instance, wrong);
    else if (group === 'webhook_out') this.#delivery(instance, wrong);
    else this.#plugin(instance, wrong);
  }

  end(): Adapted {
    const routes = this.#routes;
    if (routes.length > 0) this.#handlers.push({ hook: 'webhooks', handler: routesOf(routes) });
    return { handlers: this.#handlers, warnings: this.#warnings };
  }

  #hook(instance: Instance, wrong: Wrong): void {
    const run = methodOf(instance, 'run');
    if (run === undefined) throw wrong('has no method "run"');
    this.#on(instance, wrong, async ({ event, context }) => {
      await run(event, context);
    });
  }

  #route(instance: Instance, wrong: Wrong): void {
    if (typeof instance['path'] !== 'string') throw wrong('has no "path"');
    if (methodOf(instance, 'handle') === undefined) throw wrong('has no method "handle"');
    this.#routes.push(instance);
  }

  #delivery(instance: Instance, wrong: Wrong): void {
    const build = methodOf(instance, 'buildPayload', 'build_payload');
    const endpoint = methodOf(instance, 'endpoint');
    if (build === undefined) throw wrong('has no method "buildPayload"');
    if (endpoint === undefined) throw wrong('has no method "endpoint"');
    const wanted = methodOf(instance, 'shouldFire', 'should_fire');
    const headers = methodOf(instance, 'headers');
    this.#on(instance, wrong, async ({ event, context }): Promise<Verdict | null> => {
      if (wanted !== undefined && !(await wanted(event, context))) return null;
      const body = await build(event, context);
      const url = String(await endpoint());
      const more = headers === undefined ? {} : { headers: (await headers()) as Record<string, string> };
      return { verdict: 'ok', send: { url, body, ...more } };
    });
  }

  #plugin(instance: Instance, wrong: Wrong): void {
    const before = this.#handlers.length + this.#routes.length;
    if (instance['events'] !== undefined) this.#hook(instance, wrong);
    for (const route of listed(instance, 'routes', wrong)) this.#route(route, wrong);
    for (const delivery of listed(instance, 'deliveries', wrong)) this.#delivery(delivery, wrong);
    const start = methodOf(instance, 'start');
    const stop = methodOf(instance, 'stop');
    if (start !== undefined || stop !== undefined) this.#live(start, stop);
    if (instance['events'] === undefined && this.#handlers.length + this.#routes.length === before) {
      throw wrong('has none of "events" with "run", "routes", "deliveries", "start"');
    }
  }

  #live(start: (() => unknown) | undefined, stop: (() => unknown) | undefined): void {
    this.#handlers.push({
      hook: 'host:ready',
      handler: async (_: unknown, { defer }: { defer: (undo: () => Promise<void>) => void }) => {
        await start?.();
        defer(async () => void (await stop?.()));
      },
    });
  }

  #provide(hook: CapabilityName, instance: Instance, wrong: Wrong): void {
    if (instance['name'] === undefined) {
      if (!Object.isExtensible(instance)) throw wrong('has no "name"');
      instance['name'] = this.#entry;
    }
    const problem = problemOf(capabilityHooks[hook].answer, instance);
    if (problem !== undefined) throw wrong(`is no ${hook}: ${problem}`);
    this.#handlers.push({ hook, id: this.#idOf(hook), handler: () => instance });
  }

  /** A handler for each event that the instance names, at each event of the host that it is a view of. */
  #on(instance: Instance, wrong: Wrong, call: (view: View) => Promise<unknown>): void {
    const { events } = instance;
    if (!Array.isArray(events) || events.length === 0) throw wrong('names no "events"');
    for (const name of new Set<unknown>(events)) {
      if (!isPaceEvent(name)) {
        this.#warnings.push(dead(this.#entry, name));
        continue;
      }
      const id = this.#idOf(name);
      for (const hook of paceEvents[name].on) {
        // No hook of PACE refuses anything: those before an event are only waited for.
        this.#handlers.push({ hook, id, advisory: true, handler: (view: unknown) => call(view as View) });
      }
    }
  }

  /** The same from start to start; a second one on the same event has a number. */
  #idOf(name: string): string {
    const count = (this.#ids.get(name) ?? 0) + 1;
    this.#ids.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  }
}

function listed(instance: Instance, name: 'routes' | 'deliveries', wrong: Wrong): Instance[] {
  const list = methodOf(instance, name)?.() ?? [];
  if (!Array.isArray(list)) throw wrong(`"${name}" must answer a list`);
  return list;
}

function dead(entry: string, name: unknown): string {
  const known = Object.keys(paceEvents);
  const near = suggestion(
    known.includes(String(name).toUpperCase()) ? String(name).toUpperCase() : String(name),
    known,
  );
  return `plugin "${entry}" waits for event ${JSON.stringify(name)}, which nobody fires; ${near}`;
}
