import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { commitTurn, observe, snapshot, type Workspace } from '../../src/workspaces/index.ts';
import { author, git, open, put, repository, scratch, told } from './fixture.ts';

/** Two kinds of workspace, which are to see the same. */
const kinds: Readonly<Record<string, (files: Record<string, string>) => Promise<Workspace>>> = {
  'a worktree': (files) => open(repository(files)),
  'a folder': (files) => {
    const dir = scratch();
    put(dir, files);
    return open(dir);
  },
};

const long = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');

describe.each(Object.entries(kinds))('in %s', (_, make) => {
  async function seen(act: (dir: string) => void, files: Record<string, string> = { 'src/a.ts': 'a\n' }) {
    const ws = await make(files);
    const before = await snapshot(ws);
    act(ws.dir);
    return told(await observe(ws, before));
  }

  it('nothing is seen if nothing was done', async () => {
    expect(await seen(() => {})).toEqual([]);
  });

  it('files that were added, changed and deleted are seen', async () => {
    const changes = await seen(
      (dir) => {
        put(dir, { 'src/a.ts': 'b\n', 'new/deep/file.ts': '' });
        rmSync(join(dir, 'gone.ts'));
      },
      { 'src/a.ts': 'a\n', 'gone.ts': 'some content\n' },
    );
    expect(changes).toEqual(['deleted gone.ts', 'added new/deep/file.ts', 'modified src/a.ts']);
  });

  it('a change of the same size, in the same moment, is seen', async () => {
    expect(await seen((dir) => put(dir, { 'a.ts': 'two\n' }), { 'a.ts': 'one\n' })).toEqual(['modified a.ts']);
  });

  it('a renamed file is one change with two names', async () => {
    const changes = await seen((dir) => renameSync(join(dir, 'old.ts'), join(dir, 'new.ts')), { 'old.ts': long });
    expect(changes).toEqual(['renamed old.ts -> new.ts']);
  });

  it('a file that only may be run now is told apart', async () => {
    expect(await seen((dir) => chmodSync(join(dir, 'src/a.ts'), 0o755))).toEqual(['mode src/a.ts']);
  });

  it('a file that was only touched is no change', async () => {
    expect(await seen((dir) => utimesSync(join(dir, 'src/a.ts'), new Date(), new Date()))).toEqual([]);
  });

  it('names with spaces, quotes, newlines, or the look of an option or a glob are told as they are', async () => {
    const names = [
      'a b.ts',
      'grüße/日本.ts',
      '--help',
      '-rf',
      '*.ts',
      'q"uote.ts',
      'new\nline.ts',
      ':(top)x',
      'back\\slash',
    ];
    const changes = await seen((dir) => put(dir, Object.fromEntries(names.map((name) => [name, 'x']))));
    expect(changes).toEqual(names.map((name) => `added ${name}`).sort());
  });

  it('a link within the workspace is a file like others, one that leads out is told apart', async () => {
    const changes = await seen((dir) => {
      symlinkSync('src/a.ts', join(dir, 'inside'));
      symlinkSync(scratch(), join(dir, 'absolute'));
      symlinkSync('../../../..', join(dir, 'src', 'upward'));
      symlinkSync('nothing/../../../there', join(dir, 'dangling'));
      symlinkSync('absolute/file', join(dir, 'indirect'));
      symlinkSync('.git', join(dir, 'repository'));
    });
    expect(changes).toEqual([
      'added absolute (link-out)',
      'added dangling (link-out)',
      'added indirect (link-out)',
      'added inside',
      'added repository (link-out)',
      'added src/upward (link-out)',
    ]);
  });

  it('a file that became a folder, and a folder that became a link, are seen', async () => {
    const changes = await seen(
      (dir) => {
        rmSync(join(dir, 'file'));
        put(dir, { 'file/inner': 'x' });
        rmSync(join(dir, 'folder'), { recursive: true });
        symlinkSync(scratch(), join(dir, 'folder'));
      },
      { file: 'some text\n', 'folder/a': 'other text\n' },
    );
    expect(changes).toEqual(['deleted file', 'added file/inner', 'added folder (link-out)', 'deleted folder/a']);
  });

  it('a repository inside is told, with and without a commit, and its files are not looked at', async () => {
    const changes = await seen((dir) => {
      for (const name of ['empty', 'cloned']) {
        mkdirSync(join(dir, name));
        git(join(dir, name), 'init', '--quiet');
        put(join(dir, name), { 'hidden.ts': 'x' });
      }
      git(join(dir, 'cloned'), 'commit', '--quiet', '--allow-empty', '--message=x');
    });
    expect(changes).toEqual(['added cloned (repository)', 'added empty (repository)']);
  });

  it('a huge file is told and not kept', async () => {
    const changes = await seen((dir) => {
      writeFileSync(join(dir, 'huge.bin'), '');
      truncateSync(join(dir, 'huge.bin'), 3 * 1024 ** 3);
    });
    expect(changes).toEqual(['added huge.bin (large)']);
  });

  it('a huge file that was there is told when it changes or goes', async () => {
    const ws = await make({ 'a.ts': '' });
    const [one, two] = [join(ws.dir, 'one.bin'), join(ws.dir, 'two.bin')];
    for (const file of [one, two, join(ws.dir, 'three.bin')]) {
      writeFileSync(file, '');
      truncateSync(file, 200 * 1024 ** 2);
    }
    const before = await snapshot(ws);
    truncateSync(one, 201 * 1024 ** 2);
    rmSync(two);
    expect(told(await observe(ws, before))).toEqual(['modified one.bin (large)', 'deleted two.bin (large)']);
  });

  it('a file with a name that git does not allow is told', async () => {
    const changes = await seen((dir) => put(dir, { '.GIT/config': 'x', 'ok.ts': 'x' }));
    expect(changes).toEqual(['modified .GIT/config (unusable)', 'added ok.ts']);
  });

  it('what is ignored does not count', async () => {
    const changes = await seen((dir) => put(dir, { 'dist/out.js': 'x', 'x.log': 'x' }), {
      '.gitignore': 'dist/\n*.log\n',
    });
    expect(changes).toEqual([]);
  });

  it('the same is seen by several who look at the same time', async () => {
    const ws = await make({ 'a.ts': 'a' });
    const before = await snapshot(ws);
    put(ws.dir, { 'a.ts': 'changed', 'b.ts': 'b' });
    const looks = Array.from({ length: 6 }, async () => {
      const again = await open(ws.project);
      return [told(await observe(again, before)), (await snapshot(again)).tree];
    });
    const [first, ...others] = await Promise.all(looks);
    expect(first?.[0]).toEqual(['modified a.ts', 'added b.ts']);
    expect(others.every((other) => isDeepStrictEqual(other, first))).toBe(true);
  });

  it('a thousand files are seen', async () => {
    const names = Array.from({ length: 1000 }, (_, at) => `d${at % 10}/f${at}.ts`);
    const changes = await seen(
      (dir) => put(dir, { 'd1/f1.ts': 'changed' }),
      Object.fromEntries(names.map((name) => [name, name])),
    );
    expect(changes).toEqual(['modified d1/f1.ts']);
  });
});

describe('a submodule', () => {
  it('is not looked into, whatever an agent does in it, and a note says so', async () => {
    const library = repository({ 'lib.ts': 'x' });
    const project = repository();
    git(project, 'submodule', '--quiet', 'add', library, 'vendor/lib');
    git(project, 'commit', '--quiet', '--message=submodule');
    const ws = await open(project);
    const before = await snapshot(ws);
    git(ws.dir, 'submodule', '--quiet', 'update', '--init');
    put(ws.dir, { 'vendor/lib/lib.ts': 'changed' });
    git(join(ws.dir, 'vendor/lib'), 'commit', '--quiet', '--all', '--message=x');
    put(ws.dir, { 'src/a.ts': 'changed' });
    const changes = await observe(ws, before);
    expect(told(changes)).toEqual(['modified src/a.ts']);
    expect((await snapshot(ws)).submodules).toEqual(['vendor/lib']);
    const commit = await commitTurn(ws, { message: 'x', author });
    expect(git(project, 'diff', '--name-only', 'HEAD', commit ?? '')).toBe('src/a.ts');
  });
});

describe('without git', () => {
  it('it is said what is missing', async () => {
    const project = scratch();
    vi.stubEnv('PATH', scratch());
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await expect(open(project)).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      hint: expect.stringContaining('Install git'),
    });
  });
});
