import type { Hooks } from 'patchbay-sdk';
import { type Kernel, newRecord } from '../kernel/index.ts';
import { gather, selectSkills } from './select.ts';
import { readSkill, type Skill, type SkillProblem } from './skill.ts';

/** A skill, and whether the workspace has it. */
export interface ListedSkill extends Skill {
  readonly selected: boolean;
}

/** The skills of all plugins. */
export interface SkillList {
  readonly skills: readonly ListedSkill[];
  /** Skills that are left out, and plugins that failed to say which they have: those have no folder. */
  readonly problems: readonly (Omit<SkillProblem, 'dir'> & { readonly dir: string | null })[];
}

/**
 * Asks all plugins for their skills. Of several with one name, that of the plugin that comes first in the order of the hook
 * stands. `wanted` is what the workspace lists: nothing but the core ones if it lists none. Never rejects.
 */
export async function listSkills(kernel: Kernel<Hooks>, wanted?: readonly string[]): Promise<SkillList> {
  const record = newRecord();
  await kernel.call('skills', {}, { record });
  const read = record.answers.flatMap(({ plugin, answer }) =>
    (answer as string[]).map((dir) => readSkill(plugin, dir)),
  );
  const { skills, problems } = gather(read);
  const selected = new Set(selectSkills(skills, wanted).skills);
  const failed = record.failures.map(({ plugin = '', message }) => ({ plugin, dir: null, message }));
  return {
    skills: skills.map((skill) => ({ ...skill, selected: selected.has(skill) })),
    problems: [...problems, ...failed],
  };
}
