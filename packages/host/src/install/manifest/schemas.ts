import { suggestion } from 'patchbay-sdk';
import validVersion from 'semver/functions/valid.js';
import parseSpdx from 'spdx-expression-parse';
import * as z from 'zod/mini';
import { eventNames, hookNames } from './hook-names.ts';

const text = z.string();

/** A text of a certain pattern; what is wrong with another is said in words. */
function like(pattern: RegExp, most: number, what: string) {
  const error = (issue: { input?: unknown }) => `${JSON.stringify(issue.input)} must be ${what}`;
  return text.check(z.regex(pattern, { error }), z.maxLength(most, { error }));
}

/** One of many names; for another the nearest is told. */
function oneOf(names: readonly string[], what: string) {
  return z.enum(names as [string], {
    error: ({ input }) =>
      typeof input === 'string'
        ? `there is no ${what} "${input}"; ${suggestion(input, names)}`
        : `must be the name of a ${what}`,
  });
}

/** What a pattern cannot say. */
function must(holds: (value: string) => boolean, what: string) {
  return z.refine<string>(holds, { error: ({ input }) => `${JSON.stringify(input)} is not ${what}` });
}

const name = like(/^[a-z0-9-]+$/, 64, 'lower-case letters, digits and dashes, at most 64');
const scopedName = like(
  /^(?:@[a-z0-9-]+\/)?[a-z0-9-]+$/,
  128,
  'lower-case letters, digits and dashes, perhaps with an npm scope',
);
const portableName = like(
  /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/,
  64,
  'lower-case letters, digits, single dashes and dots, at most 64',
);
const version = text.check(must((value) => validVersion(value) === value, 'a semantic version like 1.2.0'));
const license = text.check(must(isSpdx, 'an SPDX licence expression like MIT or Apache-2.0'));
const event = oneOf(eventNames, 'event');
const hook = oneOf(hookNames, 'hook');

function isSpdx(value: string): boolean {
  try {
    parseSpdx(value);
    return true;
  } catch {
    return false;
  }
}

/** The bounds of a handler's time in a manifest, and what it is without one. */
export const timeouts = { least: 1, most: 3_600_000, usual: 30_000 } as const;
const timeoutMs = z.optional(z.int().check(z.gte(timeouts.least), z.lte(timeouts.most)));

const header = like(/^[^\r\n\0]*$/, 8192, 'one line');
const headers = z.optional(z.record(like(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 256, 'the name of a header'), header));
const url = text.check(
  must((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'an http or https address'),
);
const relativePath = like(
  /^(?![a-zA-Z]:|\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\\\0]+$/,
  400,
  'a path inside the package, with forward slashes',
);

const script = z.object({
  event,
  type: z.literal('script'),
  run: relativePath,
  timeout_ms: timeoutMs,
});
const http = z.object({
  event,
  type: z.literal('http'),
  url,
  method: z.optional(z.literal('POST', { error: 'only POST is possible' })),
  headers,
  timeout_ms: timeoutMs,
});
/** A handler as manifests declare it. */
export const declaredHandler = z.discriminatedUnion('type', [script, http]);
const configSchema = z.optional(z.record(text, z.unknown()));

/** `agentxchain-plugin.json` as its document describes it. */
export const documentForm = z.object({
  name,
  version,
  description: text,
  author: z.optional(text),
  license: z.optional(license),
  hooks: z.array(declaredHandler),
  config_schema: configSchema,
});

/** Phases of the 0.1 form, each with the event at which it is called. */
export const phases = {
  before_assignment: 'turn:dispatched',
  after_dispatch: 'turn:dispatched',
  before_validation: 'turn:submitted',
  after_validation: 'turn:submitted',
  before_acceptance: 'turn:submitted',
  after_acceptance: 'turn:accepted',
  before_gate: 'gate:pending',
  on_escalation: 'run:held',
} as const;

const process = z.object({
  name: z.optional(text),
  type: z.literal('process'),
  command: z.array(text).check(z.minLength(1)),
  mode: z.optional(z.enum(['advisory', 'blocking'])),
  timeout_ms: timeoutMs,
});

/** `agentxchain-plugin.json` as the product shipped it. */
export const shippedForm = z.object({
  schema_version: z.literal('0.1'),
  name: scopedName,
  version,
  description: z.optional(text),
  author: z.optional(text),
  license: z.optional(license),
  hooks: z.partialRecord(z.enum(Object.keys(phases) as [keyof typeof phases]), z.array(process)),
  config_schema: configSchema,
});

const paths = z.optional(z.array(text));

/** What a plugin asks to be allowed, in our part of a portable package. */
export const permissions = z.strictObject({
  files: z.optional(z.strictObject({ read: paths, write: paths })),
  net: paths,
  exec: paths,
  env: paths,
  secrets: paths,
  block: z.optional(z.array(event)),
});

/** Our part of an Agent Plugins package: `extensions["dev.patchbay"]`. */
export const patchbayPart = z.strictObject({
  /** A module whose default export is what `definePlugin` gives. */
  module: z.optional(relativePath),
  /** The hooks that the module implements, so that they can be told without running it, and declared handlers. */
  hooks: z.optional(z.array(z.union([hook, declaredHandler]))),
  config_schema: configSchema,
  permissions: z.optional(permissions),
});

const person = z.strictObject({ name: z.optional(text), email: z.optional(text), url: z.optional(text) });

/** `plugin.json` of an Agent Plugins 1.0 package. */
export const portableForm = z.object({
  $schema: z.literal('https://agent-plugins.org/schemas/1.0.0/plugin.schema.json'),
  name: portableName,
  version: z.optional(version),
  description: z.optional(text),
  author: z.optional(person),
  homepage: z.optional(text),
  repository: z.optional(text),
  license: z.optional(license),
  keywords: z.optional(z.array(text)),
  extensions: z.optional(z.object({ 'dev.patchbay': z.optional(patchbayPart) })),
});

const entry = like(
  /^\.\/(?!(?:.*\/)?\.\.(?:\/|#|$))[^#\\\0]+(?:#[A-Za-z_$][\w$]*)?$/,
  400,
  'a module of the package and perhaps an export: ./dist/hook.js#MyHook',
);
const entries = z.optional(z.record(text, entry));

/** `package.json` with the keys of the PACE and Pynchy worlds. */
export const packageForm = z.object({
  name: scopedName,
  version,
  description: z.optional(text),
  license: z.optional(text),
  pace: z.optional(
    z.strictObject({
      hooks: entries,
      webhook_in: entries,
      webhook_out: entries,
      plugins: entries,
      llm_providers: entries,
      platforms: entries,
      reporters: entries,
    }),
  ),
  pynchy: z.optional(entry),
});
