import type { core } from 'zod/mini';
import { config } from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import type { Schema } from './row.ts';

type Issue = core.$ZodIssue;

config(en());

/** One thing that is wrong with a value, and where in it: `hooks[0].event`, or empty for the value itself. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Everything that is wrong with `value`; nothing, if it fits. */
export function problemsOf(schema: Schema, value: unknown): Problem[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => say(issue, [], value));
}

/** The same in one line, or undefined if nothing is wrong. */
export function problemOf(schema: Schema, value: unknown): string | undefined {
  const problems = problemsOf(schema, value);
  if (problems.length === 0) return undefined;
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

/** Of a union, the alternative that fits best is the one that was meant. */
function say(issue: Issue, outer: readonly PropertyKey[], value: unknown): Problem[] {
  const path = [...outer, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const here = valueAt(value, issue.path);
    const [meant] = issue.errors.toSorted((a, b) => strangeness(a, here) - strangeness(b, here));
    return (meant ?? []).flatMap((inner) => say(inner, path, here));
  }
  return [{ path: pathText(path), message: issue.message }];
}

/** How far off an alternative is: of another type altogether, then by missing fields, then by anything else. */
function strangeness(issues: readonly Issue[], value: unknown): number {
  const other = issues.some(({ path, code }) => path.length === 0 && code === 'invalid_type');
  const missing = issues.filter(({ path }) => path.length > 0 && valueAt(value, path) === undefined);
  return (other ? 1e6 : 0) + missing.length * 1e3 + issues.length;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown> | null | undefined)?.[part], value);
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`))
    .join('');
}

/** The field names of an object schema; undefined if the schema is not one, or takes any field. */
export function fieldsOf(schema: Schema): readonly string[] | undefined {
  const def = schema._zod.def as { type: string; shape?: Record<string, unknown>; catchall?: Schema };
  if (def.type !== 'object' || def.shape === undefined) return undefined;
  const open = def.catchall !== undefined && def.catchall._zod.def.type !== 'never';
  return open ? undefined : Object.keys(def.shape);
}
