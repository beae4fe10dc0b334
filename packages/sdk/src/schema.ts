import type { core } from 'zod/mini';
import { config } from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import type { Schema } from './row.ts';

type Issue = core.$ZodIssue;

config(en());

/** What is wrong with `value`, in one line that starts with the path, or undefined if nothing is. */
export function problemOf(schema: Schema, value: unknown): string | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return undefined;
  return parsed.error.issues.flatMap(say).join('; ');
}

/** Of a union, the alternative that fits best is the one that was meant. */
function say(issue: Issue): string[] {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [meant] = issue.errors.toSorted((a, b) => a.length - b.length);
    return (meant ?? []).flatMap((inner) => say({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  return [issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message];
}

/** The field names of an object schema; undefined if the schema is not one, or takes any field. */
export function fieldsOf(schema: Schema): readonly string[] | undefined {
  const def = schema._zod.def as { type: string; shape?: Record<string, unknown>; catchall?: Schema };
  if (def.type !== 'object' || def.shape === undefined) return undefined;
  const open = def.catchall !== undefined && def.catchall._zod.def.type !== 'never';
  return open ? undefined : Object.keys(def.shape);
}
