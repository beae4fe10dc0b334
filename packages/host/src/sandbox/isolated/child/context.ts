import type { HookContext, Log } from 'patchbay-sdk';

/** What all handlers of the plugin share. */
export interface Shared {
  readonly plugin: string;
  readonly config: unknown;
  readonly log: Log;
  readonly defer: HookContext['defer'];
}

/** What one handler sees of one call; the signal is made if it is asked for. */
export class ChildContext implements HookContext {
  readonly hook: string;
  readonly run: string | null;
  readonly delivery: string | null;
  readonly #shared: Shared;
  #controller: AbortController | undefined;

  constructor(shared: Shared, hook: string, run: unknown, delivery: unknown) {
    this.#shared = shared;
    this.hook = hook;
    this.run = typeof run === 'string' ? run : null;
    this.delivery = typeof delivery === 'string' ? delivery : null;
  }

  get plugin(): string {
    return this.#shared.plugin;
  }
  get config(): unknown {
    return this.#shared.config;
  }
  get log(): Log {
    return this.#shared.log;
  }
  /** A function of its own, so that it can be taken out of the context. */
  get defer(): (undo: () => void | Promise<void>) => void {
    return this.#shared.defer;
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** The deadline has passed. */
  static abort(context: ChildContext, reason: Error): void {
    context.#controller ??= new AbortController();
    context.#controller.abort(reason);
  }
}
