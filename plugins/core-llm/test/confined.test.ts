import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { play } from './turn.ts';
import { openai } from './wire.ts';

const done = openai.calls({ tool: 'submit_result', args: { status: 'completed', summary: 'done' } });

/** One call, and what the model was told about it. */
async function call(tool: string, args: object, setup: Parameters<typeof play>[2] = {}) {
  const turn = await play(openai, [openai.calls({ tool, args }), done], setup);
  expect(turn.error).toBeUndefined();
  return { ...turn, told: turn.told[0] ?? '' };
}

describe('Paths', () => {
  const secret = () => folder({ 'secret.txt': 'the secret' });
  const writes = ['**'];

  it.each([
    ['up', '../secret.txt', /outside of the workspace/],
    ['up and down', 'src/../../x/secret.txt', /outside of the workspace/],
    ['from the root', '/etc/passwd', /absolute/],
    ['into the hooks of git', '.git/hooks/pre-commit', /belongs to git/],
    ['into git by other letters', 'sub/.GIT/config', /belongs to git/],
    ['to Patchbay', './.patchbay/ledger.db', /belongs to git or to Patchbay/],
    ['to AgentXchain', 'src/../.agentxchain/plugins/x', /belongs to git or to Patchbay/],
    ['to what no path can be', 'src/a\0b', /null bytes/],
  ])('that lead %s are refused, to read and to write', async (_, path, why) => {
    const files = { 'src/a.js': '', '.git/hooks/pre-commit': 'echo', '.patchbay/ledger.db': 'x' };
    const setup = { files, turn: { writes } };
    expect((await call('read_file', { path }, setup)).told).toMatch(why);
    expect((await call('list_files', { path }, setup)).told).toMatch(why);
    const turn = await call('write_file', { path, content: 'changed' }, setup);
    expect(turn.told).toMatch(why);
    expect(turn.file('.git/hooks/pre-commit')).toBe('echo');
    expect(turn.log.join('\n')).toMatch(/write_file failed: /);
  });

  it('that lead out by a link are refused, to read and to write', async () => {
    const outside = secret();
    const arrange = (workspace: string) => {
      symlinkSync(outside, join(workspace, 'folder'));
      symlinkSync(join(outside, 'secret.txt'), join(workspace, 'file'));
      symlinkSync(join(outside, 'new.txt'), join(workspace, 'nowhere'));
    };
    for (const path of ['file', 'folder/secret.txt', 'folder/new/one.txt', 'nowhere']) {
      const read = await call('read_file', { path }, { arrange, turn: { writes } });
      expect(read.told).not.toContain('the secret');
      const wrote = await call('write_file', { path, content: 'changed' }, { arrange, turn: { writes } });
      expect(wrote.told).toMatch(/outside of the workspace|ENOENT/);
    }
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('the secret');
    expect(existsSync(join(outside, 'new.txt')) || existsSync(join(outside, 'new'))).toBe(false);
    expect((await call('search', { text: 'the secret' }, { arrange })).told).toBe('(nothing found)');
    expect((await call('list_files', {}, { arrange })).told).toBe('(no files)');
  });

  it('of files that have another name elsewhere are not written', async () => {
    const outside = secret();
    const arrange = (workspace: string) => linkSync(join(outside, 'secret.txt'), join(workspace, 'same.txt'));
    const turn = await call('write_file', { path: 'same.txt', content: 'changed' }, { arrange, turn: { writes } });
    expect(turn.told).toMatch(/hard link/);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('the secret');
  });

  it('of pipes are refused instead of waited for', async () => {
    const arrange = (workspace: string) => execFileSync('mkfifo', [join(workspace, 'pipe')]);
    expect((await call('read_file', { path: 'pipe' }, { arrange })).told).toMatch(/is not a file/);
    const wrote = await call('write_file', { path: 'pipe', content: 'x' }, { arrange, turn: { writes } });
    expect(wrote.told).toMatch(/is not a file|ENXIO/);
  });
});

describe('Writing', () => {
  it('outside of what the role may write is refused and told to the model', async () => {
    const turn = await call(
      'write_file',
      { path: 'docs/a.md', content: 'x' },
      { turn: { writes: ['src/**', '*.md'] } },
    );
    expect(turn.told).toBe('Error: docs/a.md may not be written; this role may write src/**, *.md');
    expect(existsSync(join(turn.workspace, 'docs'))).toBe(false);
  });

  it('through a link counts where it leads', async () => {
    const arrange = (workspace: string) => {
      mkdirSync(join(workspace, 'src'));
      mkdirSync(join(workspace, 'docs'));
      symlinkSync('../docs', join(workspace, 'src/docs'));
    };
    const turn = await call('write_file', { path: 'src/docs/a.md', content: 'x' }, { arrange });
    expect(turn.told).toMatch(/src\/docs\/a.md \(which is docs\/a.md\) may not be written/);
  });

  it.each([
    ['is not there', 'nowhere', /not in src\/a.js/],
    ['is there twice', 'one', /more than once/],
  ])('a piece whose old text %s changes nothing', async (_, old_text, why) => {
    const files = { 'src/a.js': 'one one two\n' };
    const turn = await call('edit_file', { path: 'src/a.js', old_text, new_text: 'x' }, { files });
    expect(turn.told).toMatch(why);
    expect(turn.file('src/a.js')).toBe('one one two\n');
  });

  it('a piece of what is no text changes nothing', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x61]);
    const arrange = (workspace: string) => {
      mkdirSync(join(workspace, 'src'));
      writeFileSync(join(workspace, 'src/a'), bytes);
    };
    const turn = await call('edit_file', { path: 'src/a', old_text: 'a', new_text: 'b' }, { arrange });
    expect(turn.told).toMatch(/not a text file/);
    expect(readFileSync(join(turn.workspace, 'src/a'))).toEqual(bytes);
  });
});

describe('What the model is shown', () => {
  it('of a huge file is a piece, and where to go on', async () => {
    const arrange = (workspace: string) => {
      writeFileSync(join(workspace, 'log.txt'), 'ä line of text\n'.repeat(20_000));
      writeFileSync(join(workspace, 'one.txt'), 'x'.repeat(300_000));
      writeFileSync(join(workspace, 'sparse.bin'), '');
      truncateSync(join(workspace, 'sparse.bin'), 4e9);
    };
    const { told } = await call('read_file', { path: 'log.txt' }, { arrange });
    expect(told.length).toBeLessThan(50_000);
    const next = /of 320000; go on with offset (\d+)\)$/.exec(told)?.[1];
    const more = await call('read_file', { path: 'log.txt', offset: Number(next) }, { arrange });
    expect(more.told).toMatch(/^ä line of text\n/);
    expect((await call('read_file', { path: 'one.txt' }, { arrange })).told.length).toBeLessThan(50_000);
    expect((await call('read_file', { path: 'sparse.bin' }, { arrange })).told).toMatch(/not a text file/);
    expect((await call('search', { text: 'xxx' }, { arrange })).told.length).toBeLessThan(1000);
  });

  it('of a command that prints a lot is the beginning and the end', async () => {
    const command = 'echo begin; seq 1 100000; echo end; exit 3';
    const { told } = await call('exec', { command }, { config: { exec: true } });
    expect(told.length).toBeLessThan(20_000);
    expect(told).toMatch(/^exit code 3\nstandard output:\nbegin\n.*characters left out.*\nend\n$/s);
  });

  it('of a command that takes longer than it was given is that, and what it had printed', async () => {
    const args = { command: 'echo begun; sleep 60', timeout_seconds: 1 };
    const { told } = await call('exec', args, { config: { exec: true } });
    expect(told).toBe('was ended after 1 seconds\nstandard output:\nbegun\n');
  });

  it('of very many files and lines is bounded', async () => {
    const files = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`f/${i}.txt`, 'word\n']));
    expect((await call('list_files', {}, { files })).told.split('\n')).toHaveLength(1001);
    expect((await call('search', { text: 'word', path: 'f' }, { files })).told.split('\n')).toHaveLength(201);
  });
});
