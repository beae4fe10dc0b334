import type { ToolTrait } from 'patchbay-sdk';
import type { AssistantWorkspace, ServiceSettings, ToolSettings } from '../config/assistant-settings.ts';
import { matches, mostExact } from './globs.ts';
import { type Ruling, rulingOf } from './rules.ts';
import type { Taint } from './taints.ts';
import type { Tool } from './tool.ts';

/** A call that is to be judged. */
export interface JudgedCall {
  readonly tool: Pick<Tool, 'name' | 'traits' | 'usualTier'>;
  readonly input: Readonly<Record<string, unknown>>;
  /** The folder of the workspace; null for a turn that is in none. */
  readonly workspace: string | null;
  readonly taint: Taint;
}

/** What the project says of a tool. */
export function settingsOf({ tools }: ServiceSettings, name: string): ToolSettings {
  return mostExact(tools, name) ?? {};
}

/** What a tool does, by the project if that says so, else by its own account. */
export function traitsOf(
  settings: ServiceSettings,
  { name, traits }: Pick<Tool, 'name' | 'traits'>,
): readonly ToolTrait[] {
  return settingsOf(settings, name).traits ?? traits;
}

/** Why a tool may not be used at all; undefined if it may. */
export function disabledBy(
  settings: ServiceSettings,
  name: string,
  workspace: Pick<AssistantWorkspace, 'folder' | 'disabledTools'> | undefined,
): string | undefined {
  if (settingsOf(settings, name).enabled === false) return 'it is disabled in this project';
  if (workspace?.disabledTools.some((pattern) => matches(pattern, name)))
    return `it is disabled in the workspace ${workspace.folder}`;
  return undefined;
}

/** Whether a call is let through by what it would do after what was seen, and by its tier: whichever lets less through. */
export function judge(settings: ServiceSettings, call: JudgedCall): Ruling {
  const { tool, workspace, taint } = call;
  const ruling = byTier(settings, call);
  const leaks = taint.private && taint.untrusted && traitsOf(settings, tool).includes('public-sink');
  if (!leaks || ruling.decision !== 'allow') return ruling;
  const seen = workspace === null ? 'this run' : 'this chat';
  return { decision: 'ask', by: `${seen} has seen private data and content of others, and the tool tells the outside` };
}

function byTier(settings: ServiceSettings, { tool, workspace, input, taint }: JudgedCall): Ruling {
  const tier = settingsOf(settings, tool.name).tier ?? tool.usualTier ?? settings.tier;
  switch (tier) {
    case 'always-approve':
      return { decision: 'allow', by: tier };
    case 'rules-engine':
      return rulingOf(settings.rules, { tool: tool.name, workspace, input, taint });
    case 'human-approval':
      return { decision: 'ask', by: tier };
  }
}
