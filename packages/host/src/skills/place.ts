import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from 'patchbay-sdk';
import { integrityOf } from '../install/integrity.ts';
import type { Skill, SkillProblem } from './skill.ts';

/** The file that says which skills were put in a folder, and in which state. */
const record = '.patchbay-skills.json';

/**
 * Makes the folder of a workspace hold these skills, a folder for each: new and changed ones are copied, those that were
 * put there before and are not wanted any more are removed. What others put there stays. Gives those that could not be copied.
 */
export async function placeSkills(into: string, skills: readonly Skill[]): Promise<readonly SkillProblem[]> {
  mkdirSync(into, { recursive: true });
  const before = readRecord(into);
  const after: Record<string, string> = {};
  const problems: SkillProblem[] = [];
  const wanted = new Map(skills.map((skill) => [skill.name, skill]));
  const there = new Set(readdirSync(into));
  for (const name of Object.keys(before)) {
    if (!wanted.has(name)) rmSync(join(into, name), { recursive: true, force: true });
  }
  for (const [name, { dir, plugin }] of wanted) {
    try {
      const integrity = await integrityOf(dir);
      if (there.has(name) && before[name] === undefined) {
        throw new Error(`the workspace has a skill of its own in ${join(into, name)}`);
      }
      if (!there.has(name) || before[name] !== integrity) replace(join(into, name), dir);
      after[name] = integrity;
    } catch (error) {
      problems.push({ plugin, dir, message: `skill "${name}" cannot be used: ${messageOf(error)}` });
      // What is there of it is still ours to replace or remove next time.
      if (before[name] !== undefined) after[name] = '';
    }
  }
  if (JSON.stringify(after) !== JSON.stringify(before)) {
    writeFileSync(join(into, `${record}.new`), JSON.stringify(after));
    renameSync(join(into, `${record}.new`), join(into, record));
  }
  return problems;
}

function readRecord(into: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(join(into, record), 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}

/** Agents see the old skill or the new one, for all but the moment between two renames. */
function replace(target: string, source: string): void {
  const aside = `${target}.new`;
  rmSync(aside, { recursive: true, force: true });
  cpSync(source, aside, { recursive: true, dereference: false });
  rmSync(target, { recursive: true, force: true });
  renameSync(aside, target);
}
