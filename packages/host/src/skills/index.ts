export { type ListedSkill, listSkills, type SkillList } from './list.ts';
export { placeSkills } from './place.ts';
export { type Gathered, gather, selectSkills } from './select.ts';
export { readSkill, type Skill, type SkillProblem, type Tier } from './skill.ts';
