import { expect, test } from 'vitest';
import { trial } from './fixture.ts';

const inside = ['yes', 'yes', 'yes', 'yes', 'yes'];

test('what stays in the write scope is allowed once, everything else is refused and told', async () => {
  const { run, answers, log } = trial('asks for permission');
  await run();
  expect(answers()).toEqual([...inside, 'no', 'no', 'no', 'no', 'no', 'no', 'no', 'no']);
  expect(log).toContain('refused: edit README.md: README.md is outside of what the role may change');
  expect(log).toContain('refused: read /etc/passwd: /etc/passwd is outside of the workspace');
  expect(log.filter((line) => line.startsWith('allowed:'))).toHaveLength(inside.length);
});

test('programs may be run if the role says so', async () => {
  const { run, answers } = trial('asks for permission', {}, { exec: true });
  await run();
  expect(answers().slice(-2)).toEqual(['yes', 'no']);
});

test('a reviewer may change nothing but its result', async () => {
  const { run, answers } = trial('asks for permission', { reviews: 'turn-1', writes: ['**'] });
  await run();
  expect(answers().slice(0, 6)).toEqual(['no', 'no', 'yes', 'yes', 'yes', 'no']);
});

test('a tool is judged by all that was said of it, and by its diff more than by its name', async () => {
  const { run, answers, log } = trial('asks with a diff');
  await run();
  expect(answers()).toEqual({ outcome: 'selected', optionId: 'never' });
  expect(log).toContain('refused: Look: README.md is outside of what the role may change');
});

test('files are read in the workspace and written in the write scope only, links followed', async () => {
  const { run, answers, file } = trial('reaches for files', { writes: ['src/**', '.git/**'] });
  await run();
  const told = answers();
  expect(told.slice(0, 5)).toEqual(Array(5).fill(expect.stringContaining('outside of what the role may change')));
  expect(told.slice(5, 7)).toEqual(Array(2).fill(expect.stringContaining('outside of the workspace')));
  expect(told[7]).toContain('not found');
  expect(told.slice(8, 10)).toEqual(Array(2).fill(expect.stringContaining('is no file')));
  expect(told[10]).toContain('src/pipe');
  expect(file('README.md')).toBe('Read me\n');
});

test.each([
  ['**', true],
  ['./src/', true],
  ['src', true],
  ['src/.*', true],
  ['src/*.txt', false],
  ['*', false],
  ['{lib,src}/.new', true],
  ['s[qr]c/?new', true],
])('a write scope of %s covers src/.new: %s', async (glob, covered) => {
  const { run, answers } = trial('asks for permission', { writes: [glob] });
  await run();
  expect(answers()[1]).toBe(covered ? 'yes' : 'no');
});
