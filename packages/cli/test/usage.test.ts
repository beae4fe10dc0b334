import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../test/project.ts';
import { commands } from '../src/commands.ts';
import { expectError, expectJsonError, patchbay } from './command.ts';

const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string };
const wordsOf = (usage: string) => usage.split(' ').filter((word) => !/^[<[]/.test(word));

describe('help', () => {
  it.each([[['--version']], [['-V']]])('%j prints the version', (args) => {
    expect(patchbay(args)).toEqual({ stdout: `${version}\n`, stderr: '', status: 0 });
  });

  it.each(commands.map(({ usage }) => usage))('--help lists the command `%s` with what it does', (usage) => {
    const { stdout, stderr, status } = patchbay(['--help']);
    const summary = commands.find((command) => command.usage === usage)?.summary ?? '';
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(wordsOf(usage).join(' '));
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(summary);
    expect([stderr, status]).toEqual(['', 0]);
  });

  it('is what one gets without arguments', () => {
    expect(patchbay([])).toEqual(patchbay(['--help']));
    expect(patchbay([]).stdout).toContain('Usage: patchbay');
  });

  it('is the same with -h and with `help`', () => {
    expect(patchbay(['-h'])).toEqual(patchbay(['--help']));
    expect(patchbay(['help'])).toEqual(patchbay(['--help']));
  });

  it('leaves no command without a line that says what it does', () => {
    const { stdout } = patchbay(['--help']);
    const [, list = ''] = /Commands:\n(.*?)\n\n/s.exec(stdout) ?? [];
    for (const line of list.split('\n')) expect(line).toMatch(/^ {2,}\S.*? {2,}\S|^ {10,}\S/);
  });

  it.each(commands.map(({ usage, example }) => [usage, example]))('of `%s` has an example: %s', (usage, example) => {
    const { stdout, stderr, status } = patchbay([...wordsOf(usage), '--help']);
    expect(stdout).toContain(`Usage: patchbay ${wordsOf(usage).join(' ')}`);
    expect(stdout).toContain(`Example:\n  ${example}\n`);
    expect(stdout).toContain('--json');
    expect([stderr, status]).toEqual(['', 0]);
  });

  it.each(commands.map(({ example }) => example))('has an example that is understood: %s', (example) => {
    const { status } = patchbay([...example.split(' ').slice(1), '--help']);
    expect(status).toBe(0);
  });
});

describe('what is not understood', () => {
  it.each<[string[], RegExp]>([
    [['nope'], /unknown command 'nope'/],
    [['dmeo'], /unknown command 'dmeo' \(Did you mean demo\?\)/],
    [['hooks', 'lsit'], /unknown command 'lsit' \(Did you mean list\?\)/],
    [['help', 'nope'], /unknown command 'nope'/],
    [['--nope'], /unknown option '--nope'/],
    [['demo', '--nope'], /unknown option '--nope'/],
    [['hooks', 'list', '--jsn'], /unknown option '--jsn' \(Did you mean --json\?\)/],
    [['hooks', 'explain'], /missing required argument 'hook'/],
    [['hooks', 'explain', 'turn:accepted', 'more'], /too many arguments for 'explain'/],
    [['hooks', 'list', 'more'], /too many arguments for 'list'/],
    [['demo', '--dir'], /option '--dir <folder>' argument missing/],
    [['--cwd'], /option '--cwd <folder>' argument missing/],
    [['hooks'], /"patchbay hooks" needs one of its commands: list, explain/],
  ])('%j ends with one line and exit code 2', (args, message) => {
    expectError(patchbay(args), 2, 'USAGE', message);
    expectJsonError(patchbay(['--json', ...args]), 2, 'USAGE', message);
  });

  it.each([[['--json', 'nope']], [['nope', '--json']], [['--json', 'hooks', 'nope']]])(
    '%j gets its error as JSON, wherever --json stands',
    (args) => {
      expect(expectJsonError(patchbay(args), 2, 'USAGE', /unknown command 'nope'/)).toEqual({
        code: 'USAGE',
        message: "unknown command 'nope'",
        hint: expect.stringContaining('patchbay --help'),
      });
    },
  );

  it('--json alone does not make a command', () => {
    expectJsonError(patchbay(['--json']), 2, 'USAGE', /"patchbay" needs one of its commands: demo, .*hooks/);
  });

  it('is a folder to work in that does not exist', () => {
    const args = ['--cwd', '/not/there', 'hooks', 'explain', 'turn:accepted'];
    expectError(patchbay(args), 2, 'USAGE', /\/not\/there/);
  });
});
