import type { HookContext, Log } from 'patchbay-sdk';
import type { Call } from './call.ts';
import type { Entry } from './entry.ts';
import { runOf } from './failure.ts';

/** What one handler sees of one call. Small, because it is made for each; the signal only if it is asked for. */
export class Context implements HookContext {
  readonly #entry: Entry;
  readonly #call: Call | undefined;
  readonly #payload: unknown;
  #controller: AbortController | undefined;

  constructor(entry: Entry, call: Call | undefined, payload: unknown) {
    this.#entry = entry;
    this.#call = call;
    this.#payload = payload;
  }

  get plugin(): string {
    return this.#entry.plugin;
  }
  get hook(): string {
    return this.#entry.hook;
  }
  get run(): string | null {
    return runOf(this.#payload, this.#call) ?? null;
  }
  get delivery(): string | null {
    return this.#call?.key?.(this.#entry.plugin, this.#entry.id) ?? null;
  }
  get config(): unknown {
    return this.#entry.owner.config;
  }
  get log(): Log {
    return this.#entry.owner.log;
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }
  /** A function of its own, so that it can be taken out of the context. */
  get defer(): (undo: () => void | Promise<void>) => void {
    return this.#entry.owner.defer;
  }

  /** Ends the handler's work; what it does with the signal after that is its own affair. */
  static abort(context: Context | undefined, reason: Error): void {
    if (context === undefined) return;
    context.#controller ??= new AbortController();
    context.#controller.abort(reason);
  }
}
