import { AsyncLocalStorage } from 'node:async_hooks';
import type { Payload } from 'patchbay-sdk';
import { v5, v7 } from 'uuid';

/** What a route asks for. */
export type StartRun = Payload<'webhooks'>['startRun'];
/** A run that a route wants. */
export type RunWish = Parameters<StartRun>[0];

/**
 * Writes down that a run is wanted, under this id unless there is one already that does what is wanted; and gives its id. One
 * of that id stays as it is. `by` says who wants it.
 */
export type BeginRun = (wish: RunWish, run_id: string, by: string) => Promise<string>;

/** One request being handled: what it is called, and which runs it has begun. */
interface Handling {
  readonly event_id: string;
  readonly path: string;
  begun?: Map<string, number>;
}

/** Of ids that are derived from those of requests. */
const namespace = 'b1f5c1de-5a53-4ff0-9d0b-5f6f2c8f6f0e';

/**
 * Begins runs for routes. Whatever is begun while a request is handled has an id that is derived from it and from what is
 * wanted: if the same request is handled again, the same run is not begun again.
 */
export class RunStarts {
  readonly #current = new AsyncLocalStorage<Handling>();
  readonly #begin: BeginRun;

  constructor(begin: BeginRun) {
    this.#begin = begin;
  }

  /** Handles a request; what it calls knows of that. */
  within<T>(event_id: string, path: string, handle: () => T): T {
    return this.#current.run({ event_id, path }, handle);
  }

  /** Resolves with the id of the run when it is durable. Rejects as `begin` does. */
  readonly start: StartRun = async (wish) => {
    const handling = this.#current.getStore();
    const run_id = `run-${handling === undefined ? v7() : idOf(handling, wish)}`;
    return this.#begin(wish, run_id, `webhook ${handling?.path ?? ''}`.trim());
  };
}

/** By what is wanted, not by when: two that are asked for at once may come in another order the next time. */
function idOf(handling: Handling, { template, day, input }: RunWish): string {
  handling.begun ??= new Map();
  const { event_id, begun } = handling;
  const wanted = JSON.stringify([template, day, input]);
  const nth = (begun.get(wanted) ?? 0) + 1;
  begun.set(wanted, nth);
  return v5(`${event_id} ${nth} ${wanted}`, namespace);
}
