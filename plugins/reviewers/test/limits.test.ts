import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { conduit, sentinel } from '../index.ts';
import { input, random } from './fixture.ts';

const leak = `t = "gh${'p_'}${random(36)}"\n`;

it('large and binary files are not looked at, and the report says so', async () => {
  const report = await sentinel(
    input({ 'big.txt': leak + 'x'.repeat(1024 * 1024), 'a.bin': `\0${leak}`, 'a.txt': 'a' }),
  );
  expect(report.sentinel_decision).toBe('SHIP');
  expect(report.findings).toContainEqual({
    check: 'coverage',
    result: 'PASS',
    evidence: 'big.txt is larger than 1 MB and was not looked at',
  });
  expect(report.findings).toContainEqual({
    check: 'coverage',
    result: 'PASS',
    evidence: 'binary files not looked at: 1',
  });
});

it('a review that runs out of time says so and does not ship', async () => {
  const report = await sentinel(input({ 'a.txt': 'a', 'b.txt': 'b' }, { time_limit_ms: -1 }));
  expect(report).toMatchObject({
    sentinel_decision: 'ADVISORY',
    advisories: ['coverage: the time was up; files not looked at: 2'],
  });
});

it('neither links nor changed paths lead out of the workspace', async () => {
  const outside = folder({ 'secret.txt': leak });
  const given = input(
    { 'a.txt': 'a' },
    { base: ['../secret.txt', join(outside, 'secret.txt'), 'link/secret.txt', 'file.txt'] },
  );
  symlinkSync(outside, join(given.workspace, 'link'));
  symlinkSync(join(outside, 'secret.txt'), join(given.workspace, 'file.txt'));
  expect(await sentinel(given)).toMatchObject({ sentinel_decision: 'SHIP' });
});

it('what git ignores is not looked at, unless the work changed it', async () => {
  const given = input({ '.gitignore': '.env\n', '.env': leak, 'node_modules/a/index.js': leak });
  execFileSync('git', ['init', '-q'], { cwd: given.workspace });
  expect(await sentinel(given)).toMatchObject({ sentinel_decision: 'SHIP' });
  expect(await sentinel({ ...given, base: ['.env'] })).toMatchObject({ sentinel_decision: 'HOLD' });
});

it('a repository cannot have commands run by being looked at', async () => {
  const given = input({ 'a.txt': 'a' });
  execFileSync('git', ['init', '-q'], { cwd: given.workspace });
  const trap = join(given.workspace, '.git', 'trap.sh');
  const sprung = join(given.workspace, 'sprung.txt');
  writeFileSync(trap, `#!/bin/sh\ntouch '${sprung}'\n`, { mode: 0o755 });
  execFileSync('git', ['config', 'core.fsmonitor', trap], { cwd: given.workspace });
  execFileSync('git', ['ls-files', '--others'], { cwd: given.workspace, stdio: 'ignore' });
  expect(existsSync(sprung)).toBe(true);
  rmSync(sprung);
  await sentinel(given);
  expect(existsSync(sprung)).toBe(false);
});

it('hostile texts are read in bounded time', async () => {
  const files = {
    'a.py': `x = "${'\\"'.repeat(200_000)}`,
    'i.py': 'def f(a):\n    a = g(a)\n    os.system(a)\n'.repeat(20_000),
    'j.py': `${'a = 1\n'.repeat(60_000)}${'requests.get(a)\n'.repeat(20_000)}`,
    'k.go': 'func f() {\n\tname := r.FormValue("a")\n\tos.Open(name)\n}\n'.repeat(15_000),
    'l.sh': `${'curl -u '.repeat(200)}\n`.repeat(500),
    'm.py': `@${'@\n'.repeat(200_000)}def f(${'('.repeat(100_000)}`,
    'b.js': `${'('.repeat(50_000)}`,
    'c.txt': 'secret'.repeat(150_000),
    'd.env': `${'password='.repeat(100_000)}`,
    'e.txt': `-----BEGIN PRIVATE KEY-----${'\n'.repeat(500_000)}`,
    'f.txt': 'a://b:c'.repeat(140_000),
    'g.go': '`'.repeat(500_001),
    'h.ts': `const a = ${'a + '.repeat(3000)}1;`,
    '.github/workflows/a.yml': `a: &a [x]\n${Array.from({ length: 40 }, (_, at) => `b${at}: &b${at} [*${at === 0 ? 'a' : `b${at - 1}`}, *${at === 0 ? 'a' : `b${at - 1}`}]`).join('\n')}\n`,
    Makefile: `${'a'.repeat(500_000)}\n`,
  };
  const given = input(files);
  mkdirSync(join(given.workspace, 'README.md'));
  await expect(Promise.all([sentinel(given), conduit(given)])).resolves.toHaveLength(2);
}, 20_000);
