import * as z from 'zod/mini';
import type { Schema } from './row.ts';

z.config(z.locales.en());

/** What is wrong with `value`, in one line that starts with the path, or undefined if nothing is. */
export function problemOf(schema: Schema, value: unknown): string | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return undefined;
  return parsed.error.issues
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ');
}

/** The field names of an object schema; undefined if the schema is not one, or takes any field. */
export function fieldsOf(schema: Schema): readonly string[] | undefined {
  const def = schema._zod.def as { type: string; shape?: Record<string, unknown>; catchall?: Schema };
  if (def.type !== 'object' || def.shape === undefined) return undefined;
  const open = def.catchall !== undefined && def.catchall._zod.def.type !== 'never';
  return open ? undefined : Object.keys(def.shape);
}
