import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gather, placeSkills, readSkill, type Skill, selectSkills } from '../../src/skills/index.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-skills-'));
  dirs.push(dir);
  return dir;
}

function write(text: string, name = 'code-review'): string {
  const dir = join(folder(), name);
  mkdirSync(dir);
  writeFileSync(join(dir, 'SKILL.md'), text);
  return dir;
}

function skill(name: string, tier: Skill['tier'] = 'community', body = 'Do it.'): Skill {
  const dir = write(`---\nname: ${name}\ndescription: What ${name} does.\ntier: ${tier}\n---\n${body}\n`, name);
  return readSkill('p', dir) as Skill;
}

describe('the fields of SKILL.md', () => {
  it('are name, description, tier and allowed-tools', () => {
    const dir = write(
      '---\nname: review\ndescription: Reviews code.\ntier: dev\nallowed-tools: Bash(git:*)\n---\n# How\n',
    );
    expect(readSkill('p', dir)).toEqual({
      name: 'review',
      description: 'Reviews code.',
      tier: 'dev',
      allowedTools: 'Bash(git:*)',
      dir,
      plugin: 'p',
    });
  });

  it('are called after the folder and for the community if they do not say', () => {
    expect(readSkill('p', write('---\ndescription: Reviews code.\n---\n'))).toMatchObject({
      name: 'code-review',
      tier: 'community',
      allowedTools: null,
    });
  });

  it('may have Windows line ends, and tools as a list', () => {
    const dir = write('---\r\ndescription: x\r\nallowed-tools: [Read, Write]\r\n---\r\nText');
    expect(readSkill('p', dir)).toMatchObject({ allowedTools: 'Read, Write' });
  });

  it.each([
    ['# no fields', /does not begin with fields/],
    ['---\ntier: core\n---\n', /"description" is missing/],
    ['---\ndescription: x\ntier: gold\n---\n', /"tier" must be core, community or dev/],
    ['---\ndescription: [\n---\n', /SKILL\.md: /],
    ['---\nname: ../../etc\ndescription: x\n---\n', /cannot be the name/],
    ['---\ndescription: x\n', /does not begin with fields/],
  ])('that are wrong are told: %j', (text, message) => {
    expect(readSkill('p', write(text))).toMatchObject({ plugin: 'p', message: expect.stringMatching(message) });
  });

  it('must be there, at an absolute path', () => {
    expect(readSkill('p', folder())).toMatchObject({ message: expect.stringMatching(/cannot be read/) });
    expect(readSkill('p', 'skills/x')).toMatchObject({ message: expect.stringMatching(/absolute/) });
  });
});

describe('the skills of a workspace', () => {
  const all = [skill('basics', 'core'), skill('calendar'), skill('release', 'dev'), skill('mail')];
  const names = (wanted?: string[]) => selectSkills(all, wanted).skills.map(({ name }) => name);

  it.each([
    ['not set: core only', undefined, ['basics']],
    ['an empty list: core only', [], ['basics']],
    ['a tier: core and that tier', ['dev'], ['basics', 'release']],
    ['a name: core and that skill', ['mail'], ['basics', 'mail']],
    ['core and a name: their union', ['core', 'mail'], ['basics', 'mail']],
    ['a tier and a name: their union', ['community', 'release'], ['basics', 'calendar', 'release', 'mail']],
    ['all: every one', ['all'], ['basics', 'calendar', 'release', 'mail']],
    ['*: every one', ['*'], ['basics', 'calendar', 'release', 'mail']],
  ])('%s', (_, wanted, expected) => {
    expect(names(wanted)).toEqual(expected);
  });

  it('that are listed and not there are told, with the nearest name', () => {
    expect(selectSkills(all, ['calender']).unknown).toEqual([expect.stringMatching(/"calender".*calendar/)]);
  });

  it('of one name: the first stands, the other is told', () => {
    const first = skill('mail');
    const second = { ...skill('mail'), plugin: 'q' };
    expect(gather([first, second])).toEqual({
      skills: [first],
      problems: [{ plugin: 'q', dir: second.dir, message: expect.stringContaining('plugin "p" has one of that name') }],
    });
  });
});

describe('the folder of a workspace', () => {
  it('gets what is selected, loses what is not any more, and keeps what is its own', async () => {
    const into = join(folder(), 'skills');
    mkdirSync(join(into, 'mine'), { recursive: true });
    const [a, b] = [skill('a'), skill('b')];
    expect(await placeSkills(into, [a, b])).toEqual([]);
    expect(
      readdirSync(into)
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['a', 'b', 'mine']);
    await placeSkills(into, [b]);
    expect(
      readdirSync(into)
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['b', 'mine']);
  });

  it('is refreshed when a skill has changed', async () => {
    const into = join(folder(), 'skills');
    const a = skill('a');
    await placeSkills(into, [a]);
    writeFileSync(join(a.dir, 'examples.md'), 'new');
    await placeSkills(into, [a]);
    expect(readFileSync(join(into, 'a/examples.md'), 'utf8')).toBe('new');
    rmSync(join(a.dir, 'examples.md'));
    await placeSkills(into, [a]);
    expect(existsSync(join(into, 'a/examples.md'))).toBe(false);
  });

  it('does not lose a skill that somebody else put there under the same name', async () => {
    const into = join(folder(), 'skills');
    mkdirSync(join(into, 'a'), { recursive: true });
    writeFileSync(join(into, 'a/SKILL.md'), 'mine');
    expect(await placeSkills(into, [skill('a')])).toMatchObject([{ message: expect.stringMatching(/of its own/) }]);
    await placeSkills(into, []);
    expect(readFileSync(join(into, 'a/SKILL.md'), 'utf8')).toBe('mine');
  });

  it('gets no links that lead out of a skill, and the others all the same', async () => {
    const into = join(folder(), 'skills');
    const [bad, good] = [skill('bad'), skill('good')];
    symlinkSync('/etc/hostname', join(bad.dir, 'leak'));
    expect(await placeSkills(into, [bad, good])).toMatchObject([{ message: expect.stringMatching(/is a link/) }]);
    expect(readdirSync(into).filter((name) => !name.startsWith('.'))).toEqual(['good']);
  });
});
