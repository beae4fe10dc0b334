/** Writes the references that are made from the tables; with `--check` only tells whether they are current. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { capabilityHooks, errorCodes, eventHooks, fieldsOf, type HookRow, type HookTable, hooks } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { routes } from '../packages/host/src/api/routes.ts';
import { documentNames, documents } from '../packages/host/src/day/documents.ts';
import {
  documentForm,
  packageForm,
  patchbayPart,
  portableForm,
  shippedForm,
} from '../packages/host/src/install/manifest/schemas.ts';
import { templateForm } from '../packages/host/src/runs/template/schema.ts';

const made = '<!-- Made from the tables of the SDK by `npm run docs`. Do not edit. -->';

function typeName(schema: unknown): string {
  const json = z.toJSONSchema(schema as z.ZodMiniType, { unrepresentable: 'any', io: 'output' });
  return nameOf(json as JsonSchema);
}

interface JsonSchema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
}

function nameOf(schema: JsonSchema): string {
  if (Array.isArray(schema.type)) return schema.type.join(' \\| ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' \\| ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(nameOf).join(' \\| ');
  if (schema.type === 'array') return `${nameOf(schema.items ?? {})}[]`;
  if (schema.properties !== undefined) {
    const optional = (name: string) => (schema.required?.includes(name) ? '' : '?');
    return `{ ${Object.keys(schema.properties)
      .map((name) => name + optional(name))
      .join(', ')} }`;
  }
  if (schema.type === 'object') return 'object';
  return schema.type ?? 'function';
}

function fieldTable(shape: Record<string, z.ZodMiniType>): string {
  const lines = Object.entries(shape).map(([name, schema]) => {
    const optional = schema._zod.optout === 'optional' ? '?' : '';
    return `| \`${name}${optional}\` | ${typeName(schema)} |`;
  });
  return ['| field | type |', '|---|---|', ...lines].join('\n');
}

function shapeOf(row: HookRow): Record<string, z.ZodMiniType> {
  if (fieldsOf(row.payload) === undefined) return {};
  return (row.payload._zod.def as unknown as { shape: Record<string, z.ZodMiniType> }).shape;
}

/** What every event carries, told once. */
const common = shapeOf(eventHooks['chat:cleared']);
const { chat_jid: _, ...carried } = common;

function payloadOf(name: string, row: HookRow): string {
  const isEvent = Object.hasOwn(eventHooks, name);
  const shape = Object.entries(shapeOf(row)).filter(([field]) => !isEvent || !Object.hasOwn(carried, field));
  if (shape.length === 0) return isEvent ? 'Adds nothing.' : 'Payload: nothing.';
  return fieldTable(Object.fromEntries(shape));
}

function section(name: string, row: HookRow): string {
  const notes = [
    `**${row.kind}**, fails **${row.failure}**, deadline ${row.deadlineMs / 1000} s, since ${row.since}`,
    ...(row.historic ? ['replayed to plugins that come later'] : []),
    ...(row.deprecated ? [`deprecated: ${row.deprecated}`] : []),
  ];
  const answer = row.answer === null ? 'Answers are not looked at.' : `Answer: ${typeName(row.answer)}, or nothing.`;
  return [`### \`${name}\``, row.doc, `${notes.join('; ')}.`, answer, payloadOf(name, row)].join('\n\n');
}

function hooksPage(): string {
  const part = (title: string, text: string, table: HookTable) =>
    [`## ${title}`, text, ...Object.entries(table).map(([name, row]) => section(name, row))].join('\n\n');
  const known = { ...eventHooks, ...capabilityHooks } as HookTable;
  const others = Object.fromEntries(Object.entries(hooks as HookTable).filter(([name]) => !Object.hasOwn(known, name)));
  return [
    '# Hooks',
    made,
    'Every hook of the host: `patchbay hooks list` prints the same table. How they are called, ordered and how they fail is told in [kernel.md](kernel.md).',
    part(
      'Events',
      `Hooks that are also durable facts. Each carries these fields, null where they do not apply, and those listed with it.\n\n${fieldTable({ ...carried, event: z.string() })}`,
      eventHooks,
    ),
    part('Capabilities', 'Hooks through which a plugin provides something: the keys of `provides`.', capabilityHooks),
    part('Life of the host', 'Hooks that are no durable facts.', others),
  ].join('\n\n');
}

function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { exit, means, hint }]) => `| \`${code}\` | ${exit} | ${means} | ${hint} |`,
  );
  return [
    '# Errors',
    made,
    'Every error that leaves Patchbay has one of these codes and names the plugin, hook, run, file or field it is about. Codes are never renamed nor used again. With `--json` the command prints `{"error": {"code", "message", "hint", …}}`.',
    ['| code | exit | means | what to do |', '|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

/** The page of the API as it is, with a line for each route in its table. */
function apiPage(): string {
  const rows = routes.map(({ method, path, summary }) => `| \`${method.toUpperCase()} ${path}\` | ${summary} |`);
  const [before = '', after = ''] = readFileSync('docs/api.md', 'utf8').split(
    /(?<=\|---\|---\|\n)(?:\| `[A-Z]+ .*\n)+/,
  );
  return `${before}${rows.join('\n')}\n${after}`.trimEnd();
}

/** JSON Schemas of manifests, templates and documents: the very ones that they are checked with. */
function schemaFile(title: string, schema: z.ZodMiniType): string {
  return JSON.stringify({ title, ...z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) }, null, 2);
}

const pages: Record<string, string> = {
  'docs/hooks.md': hooksPage(),
  'docs/errors.md': errorsPage(),
  'docs/api.md': apiPage(),
  'docs/schemas/agentxchain-plugin.json': schemaFile('agentxchain-plugin.json', documentForm),
  'docs/schemas/agentxchain-plugin-0.1.json': schemaFile('agentxchain-plugin.json, shipped form 0.1', shippedForm),
  'docs/schemas/plugin.json': schemaFile('plugin.json of an Agent Plugins 1.0 package', portableForm),
  'docs/schemas/dev.patchbay.json': schemaFile('extensions["dev.patchbay"] of plugin.json', patchbayPart),
  'docs/schemas/package.json': schemaFile('package.json with the keys pace and pynchy', packageForm),
  'docs/schemas/template.json': schemaFile('template of a run', templateForm),
  ...Object.fromEntries(
    documentNames.map((name) => [`docs/schemas/${name}.json`, schemaFile(`${name} of a day`, documents[name])]),
  ),
};
const check = process.argv.includes('--check');
for (const [file, text] of Object.entries(pages)) {
  const wanted = `${text}\n`;
  if (!check) writeFileSync(file, wanted);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== wanted) {
    console.error(`${file} is not current: run "npm run docs" and commit it`);
    process.exitCode = 1;
  }
}
