import * as z from 'zod/mini';
import { durationMs } from '../runs/template/duration.ts';
import type {
  AssistantSettings,
  ContainerSettings,
  Rule,
  ServiceSettings,
  ToolSettings,
} from './assistant-settings.ts';
import { fieldsOf, type Invalid, type YamlFile } from './yaml-file.ts';

/** The fields of a project file that are about the assistant side. */
export const assistantFields = ['assistant', 'workspaces', 'services', 'mcp_servers', 'container'] as const;

type Fields = Readonly<Record<string, unknown>>;

const duration = z
  .string()
  .check(z.refine((text) => durationMs(text) !== undefined, 'must be a duration like 90s or 15m'));
const count = z.int('must be a whole number').check(z.nonnegative('must not be negative'));
const tier = z.enum(
  ['always-approve', 'rules-engine', 'human-approval'],
  'must be always-approve, rules-engine or human-approval',
);
const text = z.string('must be a text');

const assistant = z.object({
  name: z.optional(text),
  channel: z.optional(text),
  at_once: z.optional(z.int('must be a whole number').check(z.positive('must be at least 1'))),
});

const tool = z.object({
  enabled: z.optional(z.boolean('must be true or false')),
  tier: z.optional(tier),
  per_hour: z.optional(count),
  traits: z.optional(
    z.array(
      z.enum(
        ['reads-private', 'reads-untrusted', 'public-sink'],
        'must be reads-private, reads-untrusted or public-sink',
      ),
    ),
  ),
});

const pattern = text.check(z.refine(isPattern, 'must be a regular expression'));

const rule = z.object({
  name: z.optional(text),
  tool: z.optional(text),
  workspace: z.optional(text),
  args: z.optional(z.record(z.string(), pattern)),
  taint: z.optional(z.array(z.enum(['private', 'untrusted'], 'must be private or untrusted'))),
  decision: z.enum(['allow', 'ask', 'refuse'], 'must be allow, ask or refuse'),
});

const services = z.object({
  tier: z.optional(tier),
  per_hour: z.optional(z.nullable(count)),
  per_tool_per_hour: z.optional(z.nullable(count)),
  tools: z.optional(z.record(z.string(), z.unknown(), 'must be an object by name')),
  rules: z.optional(z.array(z.unknown(), 'must be a list')),
  approval_timeout: z.optional(duration),
  handler_timeout: z.optional(duration),
});

const container = z.object({ runtime: z.optional(z.nullable(text)), image: z.optional(z.nullable(text)) });

/** What all files of a project say of its assistant side; later ones win field by field. Throws PROJECT_INVALID. */
export function readAssistant(files: readonly YamlFile[]): AssistantSettings {
  const said = files.map(({ root, invalid }) => ({
    assistant: checked(assistant, root['assistant'], ['assistant'], invalid),
    services: readServices(root['services'], invalid),
    container: checked(container, root['container'], ['container'], invalid),
    workspaces: named(root['workspaces'], ['workspaces'], invalid),
    mcpServers: named(root['mcp_servers'], ['mcp_servers'], invalid),
  }));
  const merged = <K extends 'assistant' | 'services' | 'container'>(key: K) =>
    Object.assign({}, ...said.map((one) => one[key])) as (typeof said)[number][K];
  const { name = 'Patchbay', channel = 'terminal', at_once: atOnce = 4 } = merged('assistant');
  return {
    name,
    channel,
    atOnce,
    services: servicesOf(merged('services')),
    container: containerOf(merged('container')),
    workspaces: overlaid(said.map((one) => one.workspaces)),
    mcpServers: overlaid(said.map((one) => one.mcpServers)),
  };
}

interface SaidOfServices extends Omit<z.output<typeof services>, 'tools' | 'rules'> {
  readonly tools?: Readonly<Record<string, ToolSettings>>;
  readonly rules?: readonly Rule[];
}

function readServices(value: unknown, invalid: Invalid): SaidOfServices {
  const at = ['services'];
  const { tools, rules, ...rest } = checked(services, value, at, invalid);
  const entries = Object.entries(tools ?? {});
  const read = entries.map(
    ([name, one]) => [name, toolOf(checked(tool, one, [...at, 'tools', name], invalid))] as const,
  );
  return {
    ...rest,
    ...(tools === undefined ? {} : { tools: Object.fromEntries(read) }),
    ...(rules === undefined
      ? {}
      : { rules: rules.map((one, i) => checked(rule, one, [...at, 'rules', `${i}`], invalid) as Rule) }),
  };
}

function servicesOf(said: SaidOfServices): ServiceSettings {
  const { tier = 'human-approval', per_hour = 600, per_tool_per_hour = null, tools = {}, rules = [] } = said;
  return {
    tier,
    perHour: per_hour,
    perToolPerHour: per_tool_per_hour,
    tools,
    rules,
    approvalMs: durationMs(said.approval_timeout ?? '15m') ?? 0,
    handlerMs: durationMs(said.handler_timeout ?? '60s') ?? 0,
  };
}

function toolOf({ per_hour, ...rest }: z.output<typeof tool>): ToolSettings {
  return { ...rest, ...(per_hour === undefined ? {} : { perHour: per_hour }) } as ToolSettings;
}

function containerOf({ runtime = null, image = null }: z.output<typeof container>): ContainerSettings {
  return { runtime, image };
}

/** By name and then field by field: of two files the later one. */
function overlaid(files: readonly Readonly<Record<string, Fields>>[]): Readonly<Record<string, Fields>> {
  const all: Record<string, Fields> = {};
  for (const file of files) for (const [name, one] of Object.entries(file)) all[name] = { ...all[name], ...one };
  return all;
}

function named(value: unknown, path: readonly string[], invalid: Invalid): Readonly<Record<string, Fields>> {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(fieldsOf(value, path, undefined, invalid));
  return Object.fromEntries(
    entries.map(([name, one]) => [name, fieldsOf(one ?? {}, [...path, name], undefined, invalid)]),
  );
}

/** Fields that have only these names, as the schema has them. */
function checked<S extends z.ZodMiniObject>(
  schema: S,
  value: unknown,
  path: readonly string[],
  invalid: Invalid,
): z.output<S> {
  const fields = fieldsOf(value ?? {}, path, Object.keys(schema.shape), invalid);
  const { data, error } = schema.safeParse(fields);
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw invalid([...path, ...(issue?.path.map(String) ?? [])], issue?.message ?? 'is not as it must be');
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
