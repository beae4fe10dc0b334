import { expect, it } from 'vitest';
import { gate } from '../index.ts';
import { type Files, input } from './fixture.ts';

const criterion = 'An account is locked after five failed logins';
const named = 'an account is locked after five failed logins';

/** What gate makes of the criterion if the tests, which are these, succeed. */
async function judged(files: Files) {
  const run = async () => ({ exit_code: 0, output: 'ℹ tests 2\nℹ pass 2\nℹ fail 0\n' });
  const { criteria_results } = await gate({
    ...input({ 'package.json': '{"scripts": {"test": "node --test"}}', ...files }, { criteria: [criterion] }),
    run,
  });
  return criteria_results[0];
}

const js = 'test/a.test.js';
const py = 'tests/test_a.py';

it.each([
  ['does nothing', js, `test('${named}', () => {});`, 'it does nothing'],
  ['is still to be written', js, `test('${named}', async () => {\n  // later\n});`, 'it does nothing'],
  ['says that true is true', js, `it('${named}', () => { assert.equal(true, true); });`, 'it does nothing'],
  ['expects one to be one', 'test/a.test.ts', `it('${named}', () => { expect(1).toBe(1); });`, 'it does nothing'],
  ['passes by itself', js, `test('${named}', (t) => t.pass());`, 'it does nothing'],
  ['is skipped by its options', js, `test('${named}', { skip: 'flaky' }, () => { lock(); });`, 'it is skipped'],
  ['has no body', js, `it.todo('${named}');`, 'it is skipped'],
  [
    'is in a group that is skipped',
    js,
    `describe.skip('x', () => { it('${named}', () => lock()); });`,
    'it is skipped',
  ],
  [
    'passes in Python',
    py,
    `def test_${named.replaceAll(' ', '_')}():\n    """Later."""\n    pass\n`,
    'it does nothing',
  ],
  ['asserts true in Python', py, `def test_${named.replaceAll(' ', '_')}():\n    assert True\n`, 'it does nothing'],
  [
    'does nothing in Go',
    'a_test.go',
    'func TestAccountIsLockedAfterFiveFailedLogins(t *testing.T) {\n}\n',
    'it does nothing',
  ],
])('a test that %s is no evidence', async (_, file, text, told) => {
  expect(await judged({ [file]: text })).toMatchObject({ result: 'FAIL', evidence: expect.stringContaining(told) });
});

it.each([
  ['in JavaScript', js, `// test('${named}', () => {\n//   lock();\n// });\n`],
  ['in Python', py, `# def test_${named.replaceAll(' ', '_')}():\n#     lock()\n`],
])('a test that is commented out is not there, %s', async (_, file, text) => {
  expect(await judged({ [file]: text })).toMatchObject({ result: 'FAIL' });
});

it.each([
  ['calls what it is about', js, `test('${named}', () => { assert.equal(lock(5), true); });`],
  ['is made of a table', js, `test.each([[5]])('${named}', (n) => { expect(lock(n)).toBe(true); });`],
  ['has its body elsewhere', js, `test('${named}', locksAfterFive);`],
  ['holds markup', 'test/a.test.tsx', `it('${named}', () => { render(<Account fails={5} />); });`],
  ['is a group of real ones', js, `describe('${named}', () => { it('is', () => { lock(); }); });`],
  ['is in Python', py, `def test_${named.replaceAll(' ', '_')}():\n    """Five are enough."""\n    assert lock(5)\n`],
])('a test that %s is evidence', async (_, file, text) => {
  expect(await judged({ [file]: text })).toMatchObject({ result: 'PASS' });
});

it.each([
  ['node, by default', 'ℹ tests 0\nℹ pass 0\nℹ fail 0\n'],
  ['node, all skipped', 'ℹ tests 2\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 2\n'],
  ['node, in TAP', '# tests 2\n# pass 0\n# fail 0\n# skipped 2\n'],
  ['pytest, all skipped', 'ss [100%]\n2 skipped in 0.02s\n'],
  ['unittest, all skipped', 'ss\nRan 2 tests in 0.000s\n\nOK (skipped=2)\n'],
  ['unittest without tests', 'Ran 0 tests in 0.000s\n\nOK\n'],
  ['vitest, all skipped', ' Test Files  1 skipped (1)\n      Tests  2 skipped (2)\n'],
  ['jest, all skipped', 'Tests:       2 skipped, 2 total\n'],
])('tests of which none has passed are none: %s', async (_, output) => {
  const files = { 'package.json': '{"scripts": {"test": "run-them"}}' };
  const report = await gate({ ...input(files), run: async () => ({ exit_code: 0, output }) });
  expect(report.hold_reason).toBe('npm test succeeded without running a test');
});

it('some that are skipped among others that pass are nothing to speak of', async () => {
  const output = 'ℹ tests 10\nℹ pass 9\nℹ fail 0\nℹ skipped 1\n';
  const files = { 'package.json': '{"scripts": {"test": "run-them"}}' };
  const report = await gate({ ...input(files), run: async () => ({ exit_code: 0, output }) });
  expect(report).toMatchObject({ gate_decision: 'SHIP', hold_reason: '' });
});

it.each(['echo "tests are off for now"', 'true', 'echo skipped && exit 0'])(
  'a test script that is no more than %s runs no test',
  async (test) => {
    const files = { 'package.json': JSON.stringify({ scripts: { test } }) };
    const report = await gate({ ...input(files), run: async () => ({ exit_code: 0, output: 'tests are off' }) });
    expect(report.hold_reason).toBe('npm test succeeded without running a test');
  },
);

it.each([
  ['python3 -m unittest', { 'tests/__init__.py': '', 'tests/test_a.py': 'import unittest\n' }],
  ['python3 -m unittest discover -s tests', { 'tests/test_a.py': 'from unittest import TestCase\n' }],
  ['python3 -m pytest -q', { 'tests/test_a.py': 'import unittest\nimport pytest\n' }],
  ['python3 -m pytest -q', { 'tests/test_a.py': 'import unittest\n', 'pyproject.toml': '[tool.pytest.ini_options]\n' }],
  ['python3 -m pytest -q', { 'tests/test_a.py': 'import unittest\n', 'requirements-dev.txt': 'pytest==8.2.0\n' }],
])('tests in Python are run by %s if the files tell so', async (command, files: Files) => {
  const commands: string[] = [];
  const run = async (one: string) => ({ exit_code: commands.push(one) - 1, output: 'ok' });
  await gate({ ...input(files), run });
  expect(commands).toEqual([command]);
});
