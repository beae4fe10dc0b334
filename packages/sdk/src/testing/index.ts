import type { StandardSchemaV1 } from '@standard-schema/spec';
import { fromDefinition, inspectHandler } from 'patchbay-host/dialects';
import { type CallRecord, Kernel, newRecord } from 'patchbay-host/kernel';
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

/** A host for tests: the real kernel with the real table, strict about what plugins read. */
export interface TestHost extends AsyncDisposable {
  /** Puts a plugin in; refuses it as a real host would. What it gives back takes it out. */
  load<S extends StandardSchemaV1 | undefined>(plugin: Plugin<S>, config?: ConfigInput<S>): () => Promise<void>;
  /** Fires a hook with a sample payload, changed as you say. Never throws for what plugins do. */
  fire<H extends HookName>(hook: H, changes?: Partial<Payload<H>>): Promise<Fired<H>>;
  /** What plugins logged, in order. */
  readonly logs: readonly LogLine[];
  /** Takes all plugins out. */
  close(): Promise<void>;
}

/**
 * A host with the given plugins, in memory, without a project. Reading a payload field that does not exist fails the
 * handler here, with the nearest name; a payload that does not fit the table is refused before anyone sees it.
 */
export function createTestHost(...plugins: AnyPlugin[]): TestHost {
  const logs: LogLine[] = [];
  const kernel = new Kernel(hooks, { inspect: inspectHandler });
  const logOf = (plugin: string): Log => {
    const write = (level: keyof Log) => (message: string, fields?: Record<string, unknown>) => {
      logs.push({ plugin, level, message, fields });
    };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  };
  const load = (plugin: { readonly name: string }, config: unknown = {}) => {
    const scope = kernel.register(fromDefinition(plugin, config, logOf(plugin.name)));
    return () => scope.dispose();
  };
  const host: TestHost = {
    logs,
    load,
    async fire(hook, changes) {
      const payload = sample(hook, changes);
      const problem = problemOf(hooks[hook].payload, payload);
      if (problem !== undefined) {
        const message = `the payload for hook "${hook}" is wrong: ${problem}`;
        throw new PatchbayError('HOOK_ARGUMENT_UNKNOWN', message, { hook });
      }
      const record = newRecord();
      const called: string[] = [];
      const unwatch = kernel.intercept(({ plugin }) => {
        called.push(plugin);
        return undefined;
      });
      try {
        const result = await kernel.hook(hook).call(guarded(hook, payload), { record });
        return fired(hook, called, record, result as Result<typeof hook>, undefined);
      } catch (error) {
        if (!(error instanceof PatchbayError) || error.code !== 'HOOK_REFUSED') throw error;
        return fired(hook, called, record, undefined, error);
      } finally {
        unwatch();
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

/** Names that the language itself asks any object for. */
const askedByAll = new Set(['then', 'toJSON', 'constructor']);

/** A payload that does not keep quiet when asked for what it does not have. */
function guarded<P>(hook: HookName, payload: P): P {
  const known = fieldsOf(hooks[hook].payload);
  if (known === undefined) return payload;
  return new Proxy(payload as object, {
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
  }) as P;
}

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
      const fits = typeof message === 'string' ? text?.includes(message) : (message?.test(text ?? '') ?? true);
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
