import * as z from 'zod/mini';
import type { AssistantWorkspace, Schedule } from './assistant-settings.ts';

const text = z.string('must be a text');
const texts = z.array(text, 'must be a list of texts');
const mode = z.enum(['isolated', 'shared'], 'must be isolated or shared');
const number = z.number('must be a number').check(z.positive('must be more than 0'));
const mount = z.strictObject({ from: text, to: text, read_only: z.optional(z.boolean('must be true or false')) });

/** The fields of a workspace, as plugins and projects write them. One by one: a bad one takes nothing from the others. */
export const workspaceFields = {
  name: text,
  chats: texts,
  senders: z.nullable(texts),
  core: text,
  with: z.record(z.string(), z.unknown(), 'must hold fields'),
  skills: texts,
  mcp_servers: texts,
  disabled_tools: texts,
  context_mode: mode,
  schedule: text,
  timezone: text.check(z.refine(isZone, 'must be the name of a time zone, as in Europe/Berlin')),
  prompt: text,
  missed: z.enum(['skip', 'once'], 'must be skip or once'),
  overlap: z.enum(['skip', 'queue'], 'must be skip or queue'),
  repo_access: z.boolean('must be true or false'),
  runtime: z.nullable(text),
  image: z.nullable(text),
  network: z.enum(['none', 'host'], 'must be none or host'),
  mounts: z.array(mount, 'must be a list of { from, to }'),
  cpus: number,
  memory_mb: number,
  pids: number,
} as const;

/** The name of a field of a workspace. */
export type WorkspaceField = keyof typeof workspaceFields;

/** What is said of a workspace; all of it may be left out. */
export type WorkspaceValues = { readonly [F in WorkspaceField]?: z.output<(typeof workspaceFields)[F]> };

/** The workspace that these values make. What they leave out is as `AssistantWorkspace` says. */
export function workspaceOf(folder: string, values: WorkspaceValues, channel: string): AssistantWorkspace {
  const { core, skills = null, mcp_servers = [], disabled_tools = [], schedule } = values;
  const { runtime = null, image = null, network = 'host', mounts = [] } = values;
  return {
    folder,
    name: values.name ?? folder,
    chats: values.chats ?? [`${channel}:${folder}`],
    senders: values.senders ?? null,
    core: core === undefined ? null : { core, with: values.with ?? {} },
    skills,
    mcpServers: mcp_servers,
    disabledTools: disabled_tools,
    // Of what is said by people; where prompts come by schedule, it says what those know of.
    contextMode: schedule === undefined ? (values.context_mode ?? 'shared') : 'shared',
    schedule: schedule === undefined ? null : scheduleOf(schedule, values),
    repoAccess: values.repo_access ?? false,
    container: {
      runtime,
      image,
      network,
      mounts: mounts.map(({ from, to, read_only = true }) => ({ from, to, readOnly: read_only })),
      cpus: values.cpus ?? null,
      memoryMb: values.memory_mb ?? null,
      pids: values.pids ?? null,
    },
  };
}

function scheduleOf(cron: string, values: WorkspaceValues): Schedule {
  const { timezone = null, prompt = '', context_mode = 'isolated', missed = 'skip', overlap = 'skip' } = values;
  return { cron, timezone, prompt, contextMode: context_mode, missed, overlap };
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
