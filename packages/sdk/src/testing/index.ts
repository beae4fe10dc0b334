import { AsyncLocalStorage } from 'node:async_hooks';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { fromDefinition, inspectHandler } from 'patchbay-host/dialects';
import { type CallRecord, type HandlerInput, Kernel, newRecord } from 'patchbay-host/kernel';
import { type ErrorCode, messageOf, PatchbayError } from '../errors.ts';
import { type HookName, hooks, type Payload, type Result } from '../hooks.ts';
import { suggestion } from '../nearest.ts';
import type { AnyPlugin, ConfigInput, Log, Plugin } from '../plugin.ts';
import { sample } from '../samples.ts';
import { fieldsOf, problemOf } from '../schema.ts';

export { sample } from '../samples.ts';

/** What a plugin logged. */
export interface LogLine {
  readonly plugin: string;
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Record<string, unknown> | undefined;
}

/** What became of one firing of a hook. Each `assert…` throws, saying what happened instead, and gives itself back. */
export interface Fired<H extends HookName> {
  readonly hook: H;
  /** What the hook came to; undefined if it was refused. */
  readonly result: Result<H> | undefined;
  /** Why it was refused, if it was. */
  readonly refusal: PatchbayError | undefined;
  /** The plugins whose handlers were called, in order. */
  readonly called: readonly string[];
  readonly answers: readonly { readonly plugin: string; readonly answer: unknown }[];
  readonly changes: readonly { readonly plugin: string; readonly before: unknown; readonly after: unknown }[];
  readonly failures: readonly PatchbayError[];
  /** Nothing failed and nobody refused. */
  assertOk(): this;
  /** It was refused, with a message that matches. */
  assertRefused(message?: RegExp | string): this;
  /** Some handler failed, with this code if one is given. */
  assertFailed(code?: ErrorCode): this;
  /** These plugins were called, in this order, and no others. */
  assertCalled(...plugins: string[]): this;
}

/** The config that a plugin must be given: none, if all of it has defaults. */
type Configured<S> = Record<never, never> extends ConfigInput<S> ? [config?: ConfigInput<S>] : [config: ConfigInput<S>];

/** A host for tests: the real kernel with the real table, strict about what plugins read. */
export interface TestHost extends AsyncDisposable {
  /** Puts a plugin in; refuses it as a real host would. What it gives back takes it out. */
  load<S extends StandardSchemaV1 | undefined>(plugin: Plugin<S>, ...config: Configured<S>): () => Promise<void>;
  /** Fires a hook with a sample payload, changed as you say. Never throws for what plugins do. */
  fire<H extends HookName>(hook: H, changes?: Partial<Payload<H>>): Promise<Fired<H>>;
  /** What plugins logged, in order. */
  readonly logs: readonly LogLine[];
  /** Everything that went wrong so far, clean-up included, in order. */
  readonly failures: readonly PatchbayError[];
  /** Takes all plugins out. */
  close(): Promise<void>;
}

/**
 * A host with the given plugins, in memory, without a project. Reading a payload field that does not exist fails the
 * handler here, with the nearest name; a payload that does not fit the table is refused before anyone sees it.
 */
export function createTestHost(...plugins: AnyPlugin[]): TestHost {
  const logs: LogLine[] = [];
  const failures: PatchbayError[] = [];
  const called = new AsyncLocalStorage<string[]>();
  const kernel = new Kernel(hooks, { onFailure: (failure) => failures.push(failure) });
  kernel.intercept(({ plugin }) => {
    called.getStore()?.push(plugin);
    return undefined;
  });
  const logOf = (plugin: string): Log => {
    const write = (level: keyof Log) => (message: string, fields?: Record<string, unknown>) => {
      logs.push({ plugin, level, message, fields });
    };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  };
  const load = (plugin: unknown, config: unknown = {}) => {
    const registration = fromDefinition(plugin, config, logOf);
    // What a real host would refuse is refused for the same reason, before the handlers are put under guard.
    new Kernel(hooks, { inspect: inspectHandler }).register(registration);
    const scope = kernel.register({ ...registration, handlers: registration.handlers.map(guarded) });
    return () => scope.dispose();
  };
  const host: TestHost = {
    logs,
    failures,
    load,
    async fire(name, changes) {
      const hook = kernel.hook(name);
      const payload = sample(name, changes);
      const problem = problemOf(hooks[name].payload, payload);
      if (problem !== undefined) {
        const message = `the payload for hook "${name}" is wrong: ${problem}`;
        throw new PatchbayError('HOOK_ARGUMENT_UNKNOWN', message, { hook: name });
      }
      const record = newRecord();
      const plugins: string[] = [];
      try {
        const result = await called.run(plugins, () => hook.call(payload, { record }));
        return fired(name, plugins, record, result as Result<typeof name>, undefined);
      } catch (error) {
        if (!(error instanceof PatchbayError) || error.code !== 'HOOK_REFUSED') throw error;
        return fired(name, plugins, record, undefined, error);
      }
    },
    async close() {
      for (const plugin of kernel.plugins().reverse()) await kernel.unregister(plugin);
    },
    [Symbol.asyncDispose]: () => host.close(),
  };
  for (const plugin of plugins) load(plugin);
  return host;
}

type Callable = (payload: unknown, context: unknown) => unknown;

/** The same handler, given payloads that do not keep quiet when asked for what they do not have. */
function guarded(input: HandlerInput): HandlerInput {
  const key = input.wrapper === undefined ? 'handler' : 'wrapper';
  const fn = input[key] as Callable;
  return {
    ...input,
    [key]: (payload: unknown, context: unknown) => {
      const shown = strict(input.hook as HookName, payload);
      const answer = fn(shown, context);
      // What is handed back as it came is the payload itself.
      const plain = (value: unknown) => (value === shown ? payload : value);
      return answer instanceof Promise ? answer.then(plain) : plain(answer);
    },
  };
}

/** A copy of a payload behind which stands one that throws: its own fields are as usual, all others are asked there. */
function strict(hook: HookName, payload: unknown): unknown {
  const known = fieldsOf(hooks[hook].payload);
  if (known === undefined || typeof payload !== 'object' || payload === null) return payload;
  const behind = new Proxy(Object.prototype, {
    get(target, field, receiver) {
      if (typeof field === 'string' && !known.includes(field) && !(field in target) && !askedByAll.has(field)) {
        throw new PatchbayError(
          'HOOK_ARGUMENT_UNKNOWN',
          `hook "${hook}": reads "${field}", which the payload does not have; ${suggestion(field, known)}`,
          { hook, field },
        );
      }
      return Reflect.get(target, field, receiver);
    },
  });
  return Object.freeze(Object.create(behind, Object.getOwnPropertyDescriptors(payload)));
}

/** Names that the language itself asks any object for. */
const askedByAll = new Set(['then', 'toJSON', 'constructor']);

function fired<H extends HookName>(
  hook: H,
  called: readonly string[],
  { answers, changes, failures }: CallRecord,
  result: Result<H> | undefined,
  refusal: PatchbayError | undefined,
): Fired<H> {
  const happened = () => {
    const lines = [...failures, ...(refusal === undefined ? [] : [refusal])].map((e) => `${e.code}: ${e.message}`);
    return lines.length === 0 ? 'nothing failed and nobody refused' : lines.join('\n');
  };
  const check = (holds: boolean, expected: string, was: string) => {
    if (!holds) throw new Error(`hook "${hook}": expected ${expected}, but ${was}`);
    return outcome;
  };
  const outcome: Fired<H> = {
    hook,
    result,
    refusal,
    called,
    answers,
    changes,
    failures,
    assertOk: () => check(refusal === undefined && failures.length === 0, 'no failure', happened()),
    assertRefused(message) {
      const text = refusal === undefined ? undefined : messageOf(refusal);
      const fits = typeof message === 'string' ? text?.includes(message) : (text ?? '').search(message ?? '') >= 0;
      return check(text !== undefined && fits === true, `a refusal${message ? ` like ${message}` : ''}`, happened());
    },
    assertFailed: (code) =>
      check(
        failures.some((failure) => code === undefined || failure.code === code),
        `a failure${code ? ` ${code}` : ''}`,
        happened(),
      ),
    assertCalled: (...plugins) =>
      check(
        plugins.length === called.length && plugins.every((plugin, i) => plugin === called[i]),
        `calls of ${plugins.join(', ') || 'nobody'}`,
        `called were ${called.join(', ') || 'none'}`,
      ),
  };
  return outcome;
}
