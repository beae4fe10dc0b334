import {
  type Dialect,
  dialects,
  fieldsOf,
  type HookTable,
  type Log,
  messageOf,
  PatchbayError,
  type PayloadOf,
  type ResultOf,
  suggestion,
} from 'patchbay-sdk';
import type { Call, CallRecord } from './call.ts';
import { Deadlines } from './deadlines.ts';
import { Entry, type Owner } from './entry.ts';
import type { Breaker, Pulse } from './health.ts';
import { Hook } from './hook.ts';
import type { Interceptor } from './intercept.ts';
import { type Checked, checkFields, type HandlerInput, type Inspect, readHandler } from './registration.ts';
import { Scope } from './scope.ts';
import type { Watch } from './tiers.ts';

/** A plugin as the kernel takes it: its name and its handlers. */
export interface Registration {
  readonly name: string;
  /** @default 'native' */
  readonly dialect?: Dialect;
  /** Handed to the handlers as `context.config`. */
  readonly config?: unknown;
  /** Handed to the handlers as `context.log`. */
  readonly log?: Log;
  readonly handlers: readonly HandlerInput[];
  /** Whether a compiler has seen what its handlers read: then nobody looks at their source. @default false */
  readonly isCompiled?: boolean;
}

/** How a kernel is set up. */
export interface KernelOptions {
  /** Hears of every failure of every handler, with its culprit. */
  readonly onFailure?: (failure: PatchbayError) => void;
  /** Hears of what is not wrong but should be changed, such as a deprecated hook. */
  readonly onWarning?: (message: string) => void;
  /** When a failing handler is paused. @default 5 failures in a row, 30 s doubling up to 10 min */
  readonly breaker?: Partial<Breaker>;
  /** Whether hot hooks may get generated code; it is done without where the engine forbids it. @default true */
  readonly codegen?: boolean;
  /** Finds payload fields that a handler reads in vain. @default none are looked for */
  readonly inspect?: Inspect;
}

/** For `waterfall` the record of who changed what is not optional. */
type CallFor<T extends HookTable, H extends keyof T> = T[H]['kind'] extends 'waterfall'
  ? [call: Call & { readonly record: CallRecord }]
  : [call?: Call];

/** Calls what the host gave for hearing of things: its own fault stops nothing. */
function guard(what: string, tell: () => void): void {
  try {
    tell();
  } catch (error) {
    process.emitWarning(`${what} itself failed: ${messageOf(error)}`, 'PatchbayWarning');
  }
}

/** Handlers of one hook are told apart by plugin and id, in the ledger too. */
function refuseTwins(plugin: string, checked: readonly Checked[]): void {
  const seen = new Set<string>();
  for (const { hook, options } of checked) {
    if (options.id === undefined) continue;
    const key = JSON.stringify([hook, options.id]);
    if (seen.has(key)) {
      const message = `plugin "${plugin}", hook "${hook}": two handlers have the id "${options.id}"`;
      throw new PatchbayError('HANDLER_INVALID', message, { plugin, hook, handler: options.id });
    }
    seen.add(key);
  }
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Which plugins there are, and one `Hook` for each row of the table. Knows no disk, no network and no plugin by name. */
export class Kernel<T extends HookTable> {
  readonly table: T;
  readonly #options: KernelOptions;
  readonly #breaker: Breaker;
  readonly #hooks = new Map<keyof T, Hook>();
  readonly #scopes = new Map<string, Scope>();
  readonly #blocked = new Set<string>();
  readonly #watches: Watch[] = [];
  readonly #pulse: Pulse = { beats: 0 };
  #seq = 0;

  constructor(table: T, options: KernelOptions = {}) {
    this.table = table;
    this.#options = options;
    this.#breaker = {
      failures: 5,
      pauseMs: 30_000,
      maxPauseMs: 600_000,
      now: () => performance.now(),
      ...options.breaker,
    };
    const shared = {
      deadlines: new Deadlines(),
      pulse: this.#pulse,
      codegen: options.codegen !== false,
      watches: this.#watches,
      failed: this.#failed,
    };
    for (const [name, row] of Object.entries(table)) {
      if (row.historic && (row.failure === 'closed' || row.kind === 'first' || row.kind === 'waterfall')) {
        throw new PatchbayError(
          'HOOK_TABLE_INVALID',
          `hook "${name}" is historic, but ${row.failure === 'closed' ? 'closed' : `of kind ${row.kind}`}: those who come later could not have a say`,
          { hook: name },
        );
      }
      this.#hooks.set(name, new Hook(name, row, shared));
    }
  }

  /** The hook of this name, to hold on to where it is called often. */
  hook<H extends keyof T & string>(name: H): Hook<PayloadOf<T, H>, ResultOf<T, H>> {
    const hook = this.#hooks.get(name);
    if (hook === undefined) {
      const known = Object.keys(this.table);
      throw new PatchbayError('HOOK_UNKNOWN', `there is no hook "${name}"; ${suggestion(name, known)}`, { hook: name });
    }
    return hook as unknown as Hook<PayloadOf<T, H>, ResultOf<T, H>>;
  }

  /** See `Hook.call`. */
  call<H extends keyof T & string>(
    name: H,
    payload: PayloadOf<T, H>,
    ...[call]: CallFor<T, H>
  ): ResultOf<T, H> | Promise<ResultOf<T, H>> {
    return this.hook(name).call(payload, call);
  }

  /**
   * Puts a plugin in, whole or not at all. What it gives back takes it out again. Historic hooks are replayed to it
   * before this returns, as far as its handlers are not async.
   */
  register(registration: Registration): Scope {
    const { name: plugin } = registration;
    if (typeof plugin !== 'string' || plugin === '') throw new PatchbayError('PLUGIN_INVALID', 'a plugin needs a name');
    if (this.#blocked.has(plugin)) {
      throw new PatchbayError('PLUGIN_BLOCKED', `plugin "${plugin}" is blocked`, { plugin });
    }
    if (this.#scopes.has(plugin)) {
      throw new PatchbayError('PLUGIN_DUPLICATE', `a plugin "${plugin}" is already registered`, { plugin });
    }
    const dialect = registration.dialect ?? 'native';
    if (!Object.hasOwn(dialects, dialect)) {
      const known = Object.keys(dialects);
      const message = `plugin "${plugin}": unknown dialect "${dialect}", ${suggestion(dialect, known)}`;
      throw new PatchbayError('PLUGIN_INVALID', message, { plugin, field: 'dialect' });
    }
    if (!Array.isArray(registration.handlers)) {
      throw new PatchbayError('PLUGIN_INVALID', `plugin "${plugin}" has no list of handlers`, { plugin });
    }
    const checked = registration.handlers.flatMap((input) =>
      this.#check(plugin, input, registration.isCompiled === true),
    );
    refuseTwins(plugin, checked);

    const entries = new Set<Entry>();
    const remove = () => {
      this.#scopes.delete(plugin);
      for (const entry of entries) {
        entry.retire();
        this.#hooks.get(entry.hook)?.delete(entry);
      }
    };
    const scope = new Scope(plugin, entries, remove, this.#failed);
    const owner: Owner = {
      plugin,
      dialect,
      config: registration.config,
      log: registration.log ?? silent,
      defer: (undo) => scope.defer(undo),
    };
    try {
      for (const one of checked) {
        const entry = this.#entry(owner, one, entries.size);
        this.#hooks.get(one.hook)?.add(entry);
        entries.add(entry);
      }
    } catch (error) {
      remove();
      throw error;
    }
    this.#scopes.set(plugin, scope);
    this.#greet(entries);
    return scope;
  }

  #check(plugin: string, input: HandlerInput, isCompiled: boolean): Checked[] {
    const checked = readHandler(this.table, plugin, input);
    if (checked === undefined) return [];
    const row = this.table[checked.hook] as T[keyof T];
    const fields = fieldsOf(row.payload);
    if (!isCompiled && this.#options.inspect !== undefined && fields !== undefined) {
      checkFields(checked, plugin, row, fields, this.#options.inspect);
    }
    return [checked];
  }

  #entry(owner: Owner, { hook, fn, wraps, options }: Checked, nth: number): Entry {
    const row = this.table[hook] as T[keyof T];
    const { failure, deadlineMs } = row;
    const id = options.id ?? `${owner.plugin}#${nth + 1}`;
    return new Entry(
      { hook, owner, id, seq: this.#seq++, fn, wraps, options, deadlineMs, closed: failure === 'closed' },
      this.#breaker,
      this.#pulse,
    );
  }

  /** Warnings and missed calls for what has just been put in. */
  #greet(entries: ReadonlySet<Entry>): void {
    for (const [name, added] of Map.groupBy(entries, (entry) => entry.hook)) {
      const row = this.table[name] as T[keyof T];
      if (row.deprecated !== undefined) {
        this.#warn(`plugin "${added[0]?.plugin}" implements hook "${name}", which is deprecated: ${row.deprecated}`);
      }
      const handlers = added.filter((entry) => !entry.wraps);
      if (row.historic && handlers.length > 0) void this.#hooks.get(name)?.replay(handlers);
    }
  }

  /** Takes a plugin out. */
  async unregister(plugin: string): Promise<void> {
    const scope = this.#scopes.get(plugin);
    if (scope !== undefined) return scope.dispose();
    const known = this.plugins();
    throw new PatchbayError('PLUGIN_UNKNOWN', `no plugin "${plugin}" is registered; ${suggestion(plugin, known)}`, {
      plugin,
    });
  }

  /** Takes a plugin out, if it is in, and lets none of that name in again. */
  async block(plugin: string): Promise<void> {
    this.#blocked.add(plugin);
    await this.#scopes.get(plugin)?.dispose();
  }

  /** Lets plugins of that name in again. Gives whether it was blocked. */
  unblock(plugin: string): boolean {
    return this.#blocked.delete(plugin);
  }

  isBlocked(plugin: string): boolean {
    return this.#blocked.has(plugin);
  }

  has(plugin: string): boolean {
    return this.#scopes.has(plugin);
  }

  /** The names of the plugins, in order of registration. */
  plugins(): string[] {
    return [...this.#scopes.keys()];
  }

  /** The hooks that a plugin has handlers or wrappers for. */
  hooksOf(plugin: string): string[] {
    const entries = this.#scopes.get(plugin)?.entries ?? new Set<Entry>();
    return [...new Set([...entries].map((entry) => entry.hook))];
  }

  /** The handlers that failed when last called, with when a paused one is tried again (by the breaker's clock). */
  troubled(): { plugin: string; hook: string; handler: string; failures: number; pausedUntil: number | null }[] {
    return [...this.#scopes.values()].flatMap((scope) =>
      [...scope.entries]
        .filter((entry) => entry.failures > 0)
        .map(({ plugin, hook, id, failures, pauses, pausedUntil }) => {
          return { plugin, hook, handler: id, failures, pausedUntil: pauses > 0 ? pausedUntil : null };
        }),
    );
  }

  /**
   * Lets somebody watch the handlers being called: all, or those of one call in `every`. What it gives back ends
   * that; several may be ended in any order.
   */
  intercept(interceptor: Interceptor, { every = 1 }: { readonly every?: number } = {}): () => void {
    const watch = { interceptor, every };
    this.#watches.push(watch);
    this.#reset();
    return () => {
      const at = this.#watches.indexOf(watch);
      if (at < 0) return;
      this.#watches.splice(at, 1);
      this.#reset();
    };
  }

  #reset(): void {
    for (const hook of this.#hooks.values()) hook.reset();
  }

  readonly #failed = (failure: PatchbayError): void => {
    guard('onFailure', () => this.#options.onFailure?.(failure));
  };

  #warn(message: string): void {
    guard('onWarning', () => this.#options.onWarning?.(message));
  }
}
