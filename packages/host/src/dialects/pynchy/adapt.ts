import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type CapabilityName, messageOf, PatchbayError, suggestion } from 'patchbay-sdk';
import { type HookimplOptions, hookimplOptions } from 'patchbay-sdk/pynchy';
import { contracts } from './contracts.ts';
import { capabilityOf, documentedHooks } from './names.ts';

type Members = Readonly<Record<PropertyKey, unknown>>;
type Method = ((...args: unknown[]) => unknown) & Members;

/** A plugin of Pynchy, and what it is called. */
export interface PynchySource {
  readonly name: string;
  readonly version: string;
  /** For messages. */
  readonly file: string;
}

/** Takes any configuration: the document has no schema for it. */
const anything: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'patchbay', validate: (value) => ({ value }) },
};

/** Whether what a module exports is a plugin of Pynchy: a class, an instance of one, or an object with its hooks. */
export function isPynchy(value: unknown): boolean {
  if (isClass(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  return methodsOf(value).some((name) => name.startsWith('pynchy_') || (!isPlain && capabilityOf(name) !== undefined));
}

/**
 * A plugin of Pynchy as `definePlugin` would give it: each implementation under the capability that it is, with what goes in
 * and out translated. Throws PLUGIN_INVALID, which names plugin and hook.
 */
export function fromPynchy(value: unknown, { name, version, file }: PynchySource, config: unknown): object {
  const wrong = (what: string, hook?: string) =>
    new PatchbayError('PLUGIN_INVALID', `plugin "${name}" in ${file}: ${what}`, { plugin: name, file, hook });
  const instance = instanceOf(value, config, wrong);
  const provides: Partial<Record<CapabilityName, object[]>> = {};
  for (const method of methodsOf(instance)) {
    const capability = capabilityOf(method);
    if (capability === undefined) {
      if (!method.startsWith('pynchy_')) continue;
      const known = Object.keys(documentedHooks);
      throw wrong(`there is no hook "${method}", ${suggestion(method, known)}`, method);
    }
    const handler = implementation(instance, method, capability);
    provides[capability] = [...(provides[capability] ?? []), handler];
  }
  if (Object.keys(provides).length === 0) throw wrong('it implements no hook of Pynchy');
  return { name, version, dialect: 'pynchy', config: anything, provides };
}

function instanceOf(value: unknown, config: unknown, wrong: (what: string) => PatchbayError): Members {
  let made: unknown = value;
  try {
    if (isClass(value)) made = new value(config);
  } catch (error) {
    throw wrong(`cannot be made: ${messageOf(error)}`);
  }
  if (typeof made !== 'object' || made === null) throw wrong('is neither a class nor an object');
  return made as Members;
}

function implementation(instance: Members, name: string, capability: CapabilityName): object {
  const method = instance[name] as Method;
  const { tryfirst, trylast } = { ...method, ...(method[hookimplOptions] as HookimplOptions | undefined) };
  // Those under our names are in our words already.
  const contract = Object.hasOwn(documentedHooks, name) ? contracts[capability] : undefined;
  const taken = (answer: unknown): unknown => {
    if (contract === undefined || typeof answer !== 'object' || answer === null) return answer;
    return contract.taken(answer as Readonly<Record<string, unknown>>);
  };
  return {
    ...(tryfirst === true ? { tryfirst } : {}),
    ...(trylast === true ? { trylast } : {}),
    handler: (payload: unknown) => {
      const given = contract === undefined ? [payload] : (contract.given?.(payload as never) ?? []);
      const answer = method.apply(instance, [...given]);
      return answer instanceof Promise ? answer.then(taken) : taken(answer);
    },
  };
}

/** The names of all functions that something has, inherited ones included. */
function methodsOf(of: object): string[] {
  const names = new Set<string>();
  for (let at: object | null = of; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name !== 'constructor' && typeof (of as Members)[name] === 'function') names.add(name);
    }
  }
  return [...names];
}

function isClass(value: unknown): value is new (config: unknown) => unknown {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
