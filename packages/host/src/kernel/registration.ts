import { type HandlerOptions, type HookRow, type HookTable, PatchbayError, suggestion } from 'patchbay-sdk';
import type { Callable } from './entry.ts';

/** A handler or a wrapper for a hook, as a plugin brings it: nothing of it is trusted yet. */
export interface HandlerInput extends HandlerOptions {
  readonly hook: string;
  readonly handler?: unknown;
  readonly wrapper?: unknown;
}

/** A handler that was found good. */
export interface Checked {
  readonly hook: string;
  readonly fn: Callable;
  readonly wraps: boolean;
  readonly options: HandlerOptions;
}

/** Finds what is wrong with a handler by looking at it: gives the names of payload fields that it reads in vain. */
export type Inspect = (fn: Callable, row: HookRow) => readonly string[];

const is = {
  flag: (value: unknown) => typeof value === 'boolean' || 'true or false',
  names: (value: unknown) =>
    (Array.isArray(value) && value.every((name) => typeof name === 'string')) || 'an array of plugin names',
  duration: (value: unknown) =>
    (typeof value === 'number' && value > 0 && Number.isFinite(value)) || 'a positive number of milliseconds',
  text: (value: unknown) => (typeof value === 'string' && value !== '') || 'a text',
};

const checks: Record<keyof HandlerOptions, (value: unknown) => true | string> = {
  tryfirst: is.flag,
  trylast: is.flag,
  before: is.names,
  after: is.names,
  deadlineMs: is.duration,
  advisory: is.flag,
  optional: is.flag,
  id: is.text,
};

/** Checks one handler of a plugin against the table. Undefined for an optional one of a hook that is not there. */
export function readHandler(table: HookTable, plugin: string, input: HandlerInput): Checked | undefined {
  if (typeof input !== 'object' || input === null) {
    throw new PatchbayError('HANDLER_INVALID', `plugin "${plugin}": a handler must be an object`, { plugin });
  }
  const { hook, handler, wrapper, ...options } = input;
  const where = `plugin "${plugin}", hook "${hook}"`;
  const invalid = (what: string) => new PatchbayError('HANDLER_INVALID', `${where}: ${what}`, { plugin, hook });

  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof HandlerOptions] : undefined;
    if (check === undefined) {
      throw invalid(`unknown option "${name}", ${suggestion(name, ['handler', 'wrapper', ...Object.keys(checks)])}`);
    }
    const good = value === undefined || check(value);
    if (good !== true) throw invalid(`"${name}" must be ${good}`);
  }
  if (!Object.hasOwn(table, hook)) {
    if (options.optional) return undefined;
    throw new PatchbayError(
      'HOOK_UNKNOWN',
      `plugin "${plugin}" implements hook "${hook}", which does not exist; ${suggestion(hook, Object.keys(table))}`,
      { plugin, hook },
    );
  }
  if (options.tryfirst && options.trylast) throw invalid('cannot be both tryfirst and trylast');
  if ((handler === undefined) === (wrapper === undefined)) throw invalid('needs a handler or a wrapper, and only one');

  const fn = wrapper ?? handler;
  if (typeof fn !== 'function') throw invalid(`must be a function, not ${fn === null ? 'null' : typeof fn}`);
  if (/^(?:class\b(?!\s*\()|(?:async\s*)?function\s*\*|(?:async\s*)?\*)/.test(Function.prototype.toString.call(fn))) {
    throw invalid('must be a plain or async function, not a class or a generator');
  }
  if (fn.length > 2) {
    const message = `${where}: takes ${fn.length} arguments, but there are only (payload, context)`;
    throw new PatchbayError('HOOK_ARGUMENT_UNKNOWN', message, { plugin, hook });
  }
  return { hook, fn: fn as Callable, wraps: wrapper !== undefined, options };
}

/** Refuses a handler that reads payload fields which its hook does not have. */
export function checkFields(
  checked: Checked,
  plugin: string,
  row: HookRow,
  known: readonly string[],
  inspect: Inspect,
) {
  const [field] = inspect(checked.fn, row);
  if (field === undefined) return;
  throw new PatchbayError(
    'HOOK_ARGUMENT_UNKNOWN',
    `plugin "${plugin}", hook "${checked.hook}": reads "${field}", which the payload does not have; ${suggestion(field, known)}`,
    { plugin, hook: checked.hook, field },
  );
}
