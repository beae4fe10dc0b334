import { readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { messageOf } from 'patchbay-sdk';
import { parseDocument } from 'yaml';
import * as z from 'zod/mini';

/** Whom a skill is for: `core` for all workspaces, the others for those that ask. */
export type Tier = 'core' | 'community' | 'dev';

/** A skill that workspaces may have. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly tier: Tier;
  /** Tools that the agent may use for it without asking, as the file says it; null if it says nothing. */
  readonly allowedTools: string | null;
  /** Its folder, absolute. */
  readonly dir: string;
  /** The plugin that brings it. */
  readonly plugin: string;
}

/** Something that is wrong with a skill, or between two of them. Nothing stops for it. */
export interface SkillProblem {
  readonly plugin: string;
  readonly dir: string;
  readonly message: string;
}

const mostBytes = 1024 * 1024;
const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

const frontmatter = z.looseObject({
  name: z.optional(z.coerce.string()),
  description: z.string().check(z.trim(), z.minLength(1)),
  tier: z.optional(z.enum(['core', 'community', 'dev'])),
  'allowed-tools': z.optional(z.union([z.string(), z.array(z.string())])),
});

/** Reads the skill in a folder: its `SKILL.md`, as far as it is about the skill rather than for the agent. Never throws. */
export function readSkill(plugin: string, dir: string): Skill | SkillProblem {
  const problem = (message: string): SkillProblem => ({ plugin, dir, message });
  if (!isAbsolute(dir)) return problem('the path of a skill must be absolute');
  const file = join(dir, 'SKILL.md');
  let text: string;
  try {
    const status = statSync(file);
    // A pipe or a device would be read for ever.
    if (!status.isFile()) return problem('SKILL.md is not a file');
    if (status.size > mostBytes) return problem(`SKILL.md is larger than ${mostBytes} bytes`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return problem(`SKILL.md cannot be read: ${messageOf(error)}`);
  }
  const [, yaml] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
  if (yaml === undefined) return problem('SKILL.md does not begin with fields between two lines of ---');
  const document = parseDocument(yaml);
  const [syntax] = document.errors;
  if (syntax !== undefined) return problem(`SKILL.md: ${syntax.message.split('\n')[0]}`);
  const { success, data, error } = frontmatter.safeParse(document.toJS() ?? {});
  if (!success) {
    const [issue] = error.issues;
    return problem(`SKILL.md: "${issue?.path.join('.') ?? ''}" ${wrong(issue?.path[0])}`);
  }
  const name = data.name ?? basename(dir);
  if (!namePattern.test(name)) return problem(`"${name}" cannot be the name of a skill`);
  const tools = data['allowed-tools'];
  return {
    name,
    description: data.description,
    tier: data.tier ?? 'community',
    allowedTools: tools === undefined ? null : Array.isArray(tools) ? tools.join(', ') : tools,
    dir,
    plugin,
  };
}

function wrong(field: PropertyKey | undefined): string {
  return field === 'tier' ? 'must be core, community or dev' : 'is missing, or is not a text';
}
