import { PatchbayError, problemOf } from 'patchbay-sdk';
import * as z from 'zod/mini';

/** The integrity of a plugin that is only linked to. */
export const linked = 'link';

/** Where in a plugin a package of npm may stand: `node_modules/a/node_modules/@b/c`. */
export const placePattern = /^(?:(?:^|\/)node_modules\/(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)+$/;

const text = z.string();
const pin = z.strictObject({
  /** The package and its version: `npm:name@1.2.3`. */
  resolved: text.check(z.regex(/^npm:@?[^@]+@\d[^@]*$/)),
  /** Of the tarball. */
  integrity: text,
});
const entry = z.strictObject({
  version: text,
  /** Where it came from, in a form that `plugin install` understands. */
  source: text,
  /** The exact thing that the source stood for then: a version, a commit. */
  resolved: text,
  integrity: text,
  /** The packages of npm that were installed for it, by folder. */
  dependencies: z.optional(z.record(text.check(z.regex(placePattern)), pin)),
  /** The hooks it implements, so that listing plugins need not open them. */
  hooks: z.array(text),
  grants: z.array(text),
  installed_at: z.iso.datetime(),
});
const lock = z.strictObject({ lockfileVersion: z.literal(1), plugins: z.record(text, entry) });

/** What the lock file says of one plugin. */
export type LockEntry = z.output<typeof entry>;
/** The packages of npm that a plugin has, by folder. */
export type Pins = Readonly<Record<string, z.output<typeof pin>>>;
/** Name to entry. */
export type Lock = Readonly<Record<string, LockEntry>>;

/** Reads a lock file; null is a project without one. */
export function readLock(file: string, content: string | null): Lock {
  if (content === null) return {};
  const invalid = (what: string) => new PatchbayError('LOCK_INVALID', `${file}: ${what}`, { file });
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw invalid('is not JSON');
  }
  const problem = problemOf(lock, value);
  if (problem !== undefined) throw invalid(problem);
  const { plugins } = value as z.output<typeof lock>;
  // A map without a prototype: a plugin might be called "constructor".
  return Object.assign(Object.create(null), plugins);
}

/** The text of a lock file, the same for the same plugins; null where there are none. */
export function lockText(plugins: Lock): string | null {
  const names = Object.keys(plugins).sort();
  if (names.length === 0) return null;
  const sorted = Object.fromEntries(names.map((name) => [name, plugins[name]]));
  return `${JSON.stringify({ lockfileVersion: 1, plugins: sorted }, null, 2)}\n`;
}
