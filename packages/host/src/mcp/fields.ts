import { suggestion } from 'patchbay-sdk';
import * as z from 'zod/mini';
import type { Fields, Problem } from './spec.ts';

/** A number or a truth value is the text that people wrote. */
const text = z.pipe(
  z.union([z.string(), z.number(), z.boolean()], 'must be a text'),
  z.transform((value) => String(value)),
);
const texts = z.array(text, 'must be a list of texts');
const mapping = z.record(z.string(), z.nullable(text), 'must be a mapping of names to texts');
const port = z.int('must be a whole number').check(z.minimum(1, 'must be a port'), z.maximum(65_535, 'must be a port'));
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;
const variables = mapping.check(
  z.refine((value) => Object.keys(value).every((name) => variable.test(name)), 'has a name that no variable can have'),
);
const forwarded = z.pipe(
  z.union([texts, mapping], 'must be a list of variables, or a mapping of names to variables of the host'),
  z.transform((value) => (Array.isArray(value) ? Object.fromEntries(value.map((name) => [name, name])) : value)),
);

const schemas = {
  type: z.enum(['docker', 'script', 'url'], 'must be docker, script or url'),
  image: z.string('must be a text'),
  dockerfile: z.string('must be a text'),
  command: z.string('must be a text'),
  args: texts,
  url: z.string('must be a text'),
  headers: mapping,
  port,
  extraPorts: z.array(port, 'must be a list of ports'),
  transport: z.enum(['stdio', 'streamable_http', 'sse'], 'must be stdio, streamable_http or sse'),
  idleTimeout: z.number('must be a number of seconds').check(z.nonnegative('must not be negative')),
  env: variables,
  envForward: forwarded,
  volumes: texts,
} satisfies Record<keyof Fields, z.ZodMiniType>;

const names = new Map(
  Object.keys(schemas).flatMap((name) => [
    [name, name as keyof Fields],
    [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name as keyof Fields],
  ]),
);
/** As people write them. */
const known = [...names.keys()].filter((name) => !/[A-Z]/.test(name));

/** What was read of a server: its fields, and what is none. */
export interface Read {
  readonly fields: Fields;
  readonly rest: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

/** Reads the fields of a server, in either spelling. Never throws. */
export function readFields(raw: Readonly<Record<string, unknown>>, path: string): Read {
  const fields: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const name = names.get(key);
    if (name === undefined) {
      rest[key] = value;
    } else if (name in fields) {
      problems.push({ path: `${path}.${key}`, message: 'is said twice, in two spellings' });
    } else if (value === null || value === undefined) {
      fields[name] = value;
    } else {
      const { data, error } = schemas[name].safeParse(value);
      fields[name] = data;
      problems.push(
        ...(error?.issues ?? []).map((issue) => {
          return { path: [path, key, ...issue.path.map(String)].join('.'), message: issue.message };
        }),
      );
    }
  }
  return { fields: fields as Fields, rest, problems };
}

/** A field that there is not. */
export function unknownField(key: string, path: string): Problem {
  return { path: `${path}.${key}`, message: `unknown field, ${suggestion(key, known)}` };
}

/** Whether a value holds fields of its own. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** What `over` says, and of what it says nothing, what `base` does: in mappings too. What is null is taken away. */
export function overlaid(base: Fields, over: Fields): Fields {
  return deepMerged(base as Record<string, unknown>, over as Record<string, unknown>) as Fields;
}

function deepMerged(base: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>) {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    if (value === undefined) continue;
    merged[key] = isMapping(below) && isMapping(value) ? deepMerged(below, value) : value;
  }
  return merged;
}
