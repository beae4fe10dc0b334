import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, project, root } from '../../../../test/project.ts';
import { openHost } from '../../src/host.ts';
import { listSkills, readSkill } from '../../src/skills/index.ts';

const brings = (name: string, ...dirs: string[]) =>
  `export default { name: '${name}', version: '1.0.0', provides: { skills: () => ${JSON.stringify(dirs)} } };`;
const skill = (name: string, tier: string) => `---\nname: ${name}\ndescription: What it does.\ntier: ${tier}\n---\n`;

async function listed(cwd: string, wanted?: readonly string[]) {
  const host = await openHost({ cwd, version: '0.0.0' });
  try {
    return await listSkills(host.kernel, wanted);
  } finally {
    await host.close();
  }
}

it('the skill of the example is there, and selected by those who ask for it', async () => {
  const hello = join(root, 'examples/hello');
  const greeting = { name: 'greeting', plugin: 'hello', tier: 'community', dir: join(hello, 'skills/greeting') };
  expect(await listed(hello)).toMatchObject({ skills: [{ ...greeting, selected: false }], problems: [] });
  expect(await listed(hello, ['greeting'])).toMatchObject({ skills: [{ ...greeting, selected: true }] });
});

it('collisions, unreadable skills and failing plugins are told, and empty nothing for the others', async () => {
  const dir = folder({ 'a/SKILL.md': skill('same', 'core'), 'b/SKILL.md': skill('same', 'core'), 'c/other': '' });
  const cwd = project({
    thrower: `export default { name: 'thrower', version: '1.0.0', provides: { skills: () => { throw new Error('no'); } } };`,
    nonsense: `export default { name: 'nonsense', version: '1.0.0', provides: { skills: () => 7 } };`,
    first: brings('first', join(dir, 'a'), join(dir, 'c')),
    second: brings('second', join(dir, 'b'), 'relative'),
  });
  const { skills, problems } = await listed(cwd);
  expect(skills).toMatchObject([{ name: 'same', plugin: 'second', selected: true }]);
  expect(problems).toMatchObject([
    { plugin: 'second', dir: 'relative', message: expect.stringContaining('absolute') },
    { plugin: 'first', dir: join(dir, 'a'), message: expect.stringContaining('plugin "second" has one of that name') },
    { plugin: 'first', dir: join(dir, 'c'), message: expect.stringContaining('cannot be read') },
    { plugin: 'nonsense', dir: null },
    { plugin: 'thrower', dir: null, message: expect.stringContaining('failed: no') },
  ]);
});

it('a pipe in place of SKILL.md is a problem, and is not waited for', () => {
  const dir = folder();
  expect(spawnSync('mkfifo', [join(dir, 'SKILL.md')]).status).toBe(0);
  expect(readSkill('p', dir)).toMatchObject({ message: 'SKILL.md is not a file' });
});
