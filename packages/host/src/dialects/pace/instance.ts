import { messageOf, type PatchbayError } from 'patchbay-sdk';
import { paceKind } from 'patchbay-sdk/pace';
import type { Part } from './entry.ts';

/** Something that a part brings, of which nothing is known but that it has members. */
export type Instance = Record<PropertyKey, unknown>;

/** Makes the error for what is wrong with a part. */
export type Wrong = (what: string) => PatchbayError;

/** Whether a value is a class: one that extends a base, or that is written as one. */
export function isClass(value: unknown): value is new (config: unknown) => unknown {
  return typeof value === 'function' && (paceKind in value || /^class\b/.test(Function.prototype.toString.call(value)));
}

/** The thing itself: an instance of a class, what a function makes, or an object as it is. Throws PLUGIN_INVALID. */
export function instanceOf({ value }: Part, config: unknown, wrong: Wrong): Instance {
  let made: unknown;
  try {
    if (isClass(value)) made = new value(config);
    else made = typeof value === 'function' ? value(config) : value;
  } catch (thrown) {
    throw wrong(`cannot be made: ${messageOf(thrown)}`);
  }
  if (typeof made !== 'object' || made === null) throw wrong('is neither a class nor an object');
  const instance = made as Instance;
  // A class with a constructor of its own may have kept it from its base.
  const extendsBase = isClass(value) && paceKind in value;
  if (Object.isExtensible(instance) && (extendsBase || instance['config'] === undefined)) {
    Object.defineProperty(instance, 'config', { value: config, configurable: true, enumerable: true, writable: true });
  }
  return instance;
}

/** The method of an instance that has one of these names, to be called on it; undefined if it has none. */
export function methodOf(
  instance: Instance,
  ...names: readonly string[]
): ((...args: unknown[]) => unknown) | undefined {
  for (const name of names) {
    const method = instance[name];
    if (typeof method === 'function') return (...args) => method.apply(instance, args);
  }
  return undefined;
}
