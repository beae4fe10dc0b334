import { Cron } from 'croner';
import { type Hooks, messageOf, PatchbayError, suggestion, type Workspace } from 'patchbay-sdk';
import type { AssistantSettings, AssistantWorkspace } from '../config/assistant-settings.ts';
import { type WorkspaceField, type WorkspaceValues, workspaceFields, workspaceOf } from '../config/workspace.ts';
import { type Kernel, newRecord } from '../kernel/index.ts';

/** Where a value of a workspace stands: the name of a plugin, or null for the project itself. */
export interface Said {
  readonly value: unknown;
  readonly plugin: string | null;
}

/** A workspace, and why it is as it is. */
export interface ExplainedWorkspace {
  readonly workspace: AssistantWorkspace;
  /** By field, who says what, the one that counts first. What nobody says is at its default. */
  readonly said: Readonly<Partial<Record<WorkspaceField, readonly Said[]>>>;
}

/** Something that is wrong with what a plugin says of a workspace. Nothing stops for it. */
export interface WorkspaceProblem {
  readonly plugin: string;
  readonly folder: string | null;
  readonly message: string;
}

/** All workspaces of a project. */
export interface Workspaces {
  readonly workspaces: readonly ExplainedWorkspace[];
  readonly problems: readonly WorkspaceProblem[];
}

interface Layer {
  readonly plugin: string | null;
  readonly folder: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const known = Object.keys(workspaceFields) as WorkspaceField[];
/** What others call a field. */
const aliases: Readonly<Record<string, WorkspaceField>> = { pynchy_repo_access: 'repo_access' };
const folderPattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/**
 * The workspaces that plugins bring and the project has: by folder, field by field, what the project says first, then what
 * the plugins say, the last one registered first. What is wrong with a plugin's is told and left out; what is wrong in the
 * project's own throws PROJECT_INVALID.
 */
export async function collectWorkspaces(kernel: Kernel<Hooks>, settings: AssistantSettings): Promise<Workspaces> {
  const record = newRecord();
  await kernel.call('workspace', {}, { record });
  const problems: WorkspaceProblem[] = record.failures.map(({ plugin = '', message }) => {
    return { plugin, folder: null, message };
  });
  const own = Object.entries(settings.workspaces).map(([folder, fields]): Layer => ({ plugin: null, folder, fields }));
  const theirs = record.answers.map(({ plugin, answer }): Layer => {
    const { folder, config } = answer as Workspace;
    return { plugin, folder, fields: config };
  });
  const said = new Map<string, Partial<Record<WorkspaceField, Said[]>>>();
  for (const layer of [...own, ...theirs]) {
    const wrong = (message: string) => {
      if (layer.plugin === null) throw new PatchbayError('PROJECT_INVALID', `workspace "${layer.folder}": ${message}`);
      problems.push({ plugin: layer.plugin, folder: layer.folder, message });
    };
    if (!folderPattern.test(layer.folder)) {
      wrong('its folder must be a plain name: letters, digits, dots, dashes');
      continue;
    }
    const fields = said.get(layer.folder) ?? {};
    said.set(layer.folder, fields);
    for (const [field, value] of checkedFields(layer, wrong)) {
      fields[field] = [...(fields[field] ?? []), { value, plugin: layer.plugin }];
    }
  }
  return { workspaces: [...said].map(([folder, fields]) => explained(folder, fields, settings)), problems };
}

function explained(
  folder: string,
  said: Partial<Record<WorkspaceField, Said[]>>,
  { channel }: AssistantSettings,
): ExplainedWorkspace {
  const values = Object.fromEntries(Object.entries(said).map(([field, [first]]) => [field, first?.value]));
  return { workspace: workspaceOf(folder, values as WorkspaceValues, channel), said };
}

function checkedFields({ fields }: Layer, wrong: (message: string) => void): [WorkspaceField, unknown][] {
  return Object.entries(fields).flatMap(([key, value]): [WorkspaceField, unknown][] => {
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const field = aliases[snake] ?? (snake as WorkspaceField);
    if (snake === 'claude_md') return [];
    const schema = workspaceFields[field] as (typeof workspaceFields)[WorkspaceField] | undefined;
    if (schema === undefined) {
      wrong(`"${key}": unknown field, ${suggestion(key, known)}`);
      return [];
    }
    const { data, error } = schema.safeParse(value);
    const problem = error?.issues[0]?.message ?? (field === 'schedule' ? cronProblem(String(value)) : undefined);
    if (problem === undefined) return [[field, data]];
    wrong(`"${key}": ${problem}`);
    return [];
  });
}

function cronProblem(pattern: string): string | undefined {
  try {
    new Cron(pattern, { paused: true });
    return undefined;
  } catch (error) {
    return `must be a cron expression, as in "0 4 * * *": ${messageOf(error)}`;
  }
}
