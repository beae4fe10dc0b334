import { suggestion } from 'patchbay-sdk';
import type { Skill, SkillProblem } from './skill.ts';

const tiers: readonly string[] = ['core', 'community', 'dev'];
const everything: readonly string[] = ['all', '*'];

/** The skills that there are, one for each name, and what is wrong. */
export interface Gathered {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** Of several skills with one name the first stands. Those that could not be read are left out, and told. */
export function gather(read: readonly (Skill | SkillProblem)[]): Gathered {
  const skills = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  for (const one of read) {
    if ('message' in one) {
      problems.push(one);
      continue;
    }
    const first = skills.get(one.name);
    if (first === undefined) skills.set(one.name, one);
    else if (first.dir !== one.dir) {
      const { plugin, dir, name } = one;
      problems.push({
        plugin,
        dir,
        message: `skill "${name}" is left out: plugin "${first.plugin}" has one of that name`,
      });
    }
  }
  return { skills: [...skills.values()], problems };
}

/**
 * Those that a workspace has. It says nothing: the core ones. Otherwise: the core ones, those of the tiers and those of
 * the names that it lists; everything for `all`.
 */
export function selectSkills(
  skills: readonly Skill[],
  wanted: readonly string[] | undefined,
): { readonly skills: readonly Skill[]; readonly unknown: readonly string[] } {
  const listed = wanted ?? [];
  if (listed.some((entry) => everything.includes(entry))) return { skills, unknown: [] };
  const known = [...tiers, ...skills.map(({ name }) => name)];
  return {
    skills: skills.filter(({ name, tier }) => tier === 'core' || listed.includes(tier) || listed.includes(name)),
    unknown: listed.filter((entry) => !known.includes(entry)).map((entry) => `"${entry}", ${suggestion(entry, known)}`),
  };
}
