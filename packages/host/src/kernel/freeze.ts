/** Objects known to be frozen all the way down. */
const done = new WeakSet<object>();

/**
 * Freezes plain objects and arrays all the way down, in place, and gives the value back. What has a class of its own
 * (a date, a buffer, a channel) is left alone, since freezing would break it. Frozen once, it costs one look-up.
 */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || done.has(value)) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return value;
  // Known before its parts are, because they may lead back to it.
  done.add(value);
  try {
    for (const key of Reflect.ownKeys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (property !== undefined && 'value' in property) freezeDeep(property.value);
    }
    return Object.freeze(value);
  } catch (error) {
    done.delete(value);
    throw error;
  }
}
