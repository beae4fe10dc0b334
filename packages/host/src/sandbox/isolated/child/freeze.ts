// Held on to, because a plugin may replace them.
const { freeze, values } = Object;

/**
 * Freezes what came as JSON all the way down, in place, and gives it back. What is parsed is a tree of plain objects and
 * arrays: the kernel's `freezeDeep`, which must expect cycles, classes and getters, takes five times as long.
 */
export function freezeParsed<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of values(value)) freezeParsed(part);
  return freeze(value);
}
