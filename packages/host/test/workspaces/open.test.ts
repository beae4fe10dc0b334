import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeWorkspace, commitTurn, observe, openTurnWorkspace, snapshot } from '../../src/workspaces/index.ts';
import { author, commitAll, git, open, put, read, repository, scratch, told } from './fixture.ts';

describe('the workspace of a run', () => {
  it('is a worktree with a branch of its own, and the project is left alone', async () => {
    const project = repository();
    const head = git(project, 'rev-parse', 'HEAD');
    const ws = await open(project);
    expect(ws).toMatchObject({ kind: 'worktree', branch: 'patchbay/run-1', base: head });
    expect(read(ws.dir, 'src/a.ts')).toBe('a\n');
    expect(git(ws.dir, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('patchbay/run-1');
    expect(git(ws.dir, 'status', '--porcelain')).toBe('');
    expect(git(project, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  });

  it('is found again, with what was done in it', async () => {
    const project = repository();
    const ws = await open(project);
    put(ws.dir, { 'src/new.ts': 'x' });
    put(project, { 'not-committed.ts': 'by the user, meanwhile' });
    expect(await open(project)).toEqual(ws);
    expect(read(ws.dir, 'src/new.ts')).toBe('x');
  });

  it('is made again from what was accepted if somebody removed it', async () => {
    const project = repository();
    const ws = await open(project);
    put(ws.dir, { 'src/new.ts': 'x' });
    await commitTurn(ws, { message: 'one', author });
    rmSync(ws.dir, { recursive: true });
    const again = await open(project);
    expect(read(again.dir, 'src/new.ts')).toBe('x');
    expect(git(again.dir, 'status', '--porcelain')).toBe('');
  });

  it('is refused if something is not committed, and the files are named', async () => {
    const project = repository();
    put(project, { 'src/a.ts': 'changed', 'added file.ts': 'x', 'staged.ts': 'x' });
    git(project, 'add', 'staged.ts');
    const error = await open(project).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'WORKSPACE_DIRTY', hint: expect.stringContaining('git stash') });
    expect(String(error)).toMatch(/src\/a\.ts.*staged\.ts.*added file\.ts/);
    expect(git(project, 'branch', '--list', 'patchbay/*')).toBe('');
  });

  it('leaves out what is not committed if that is wanted', async () => {
    const project = repository();
    put(project, { 'src/a.ts': 'changed' });
    const ws = await open(project, { dirty: 'ignore' });
    expect(read(ws.dir, 'src/a.ts')).toBe('a\n');
    expect(read(project, 'src/a.ts')).toBe('changed');
  });

  it('does not mind the files of Patchbay itself, nor ignored ones', async () => {
    const project = repository({ '.gitignore': 'dist/\n' });
    put(project, { 'patchbay.yaml': '', 'patchbay.lock': '', '.patchbay/ledger.db': '', 'dist/x.js': '' });
    expect((await open(project)).kind).toBe('worktree');
  });

  it('heeds what the user ignores everywhere', async () => {
    const project = repository();
    put(project, { '.idea': '' });
    git(project, 'config', 'core.excludesFile', join(scratch(), 'ignore'));
    await expect(open(project)).rejects.toMatchObject({ code: 'WORKSPACE_DIRTY' });
    writeFileSync(git(project, 'config', 'core.excludesFile'), '.idea\n');
    const ws = await open(project);
    const before = await snapshot(ws);
    put(ws.dir, { '.idea': '' });
    expect(await observe(ws, before)).toEqual([]);
  });

  it('begins with the commit that is checked out where HEAD is detached', async () => {
    const project = repository();
    const first = git(project, 'rev-parse', 'HEAD');
    put(project, { 'later.ts': '' });
    commitAll(project);
    git(project, 'checkout', '--quiet', '--detach', first);
    const ws = await open(project);
    expect(ws.base).toBe(first);
    expect(existsSync(join(ws.dir, 'later.ts'))).toBe(false);
  });

  it('says what to do where there is no commit yet', async () => {
    const project = scratch();
    git(project, 'init', '--quiet');
    await expect(open(project)).rejects.toMatchObject({
      code: 'WORKSPACE_DIRTY',
      message: expect.stringContaining('no commit yet'),
      hint: expect.stringContaining('git commit'),
    });
  });

  it('can be had in a worktree of the user', async () => {
    const project = repository();
    const tree = join(scratch(), 'linked');
    git(project, 'worktree', 'add', '--quiet', '-b', 'feature', tree);
    put(tree, { 'feature.ts': 'f' });
    const head = commitAll(tree);
    const ws = await open(tree);
    expect(ws.base).toBe(head);
    put(ws.dir, { 'more.ts': 'm' });
    await commitTurn(ws, { message: 'more', author });
    expect(git(project, 'log', '--format=%s', 'patchbay/run-1')).toBe('more\nchange\nchange');
    expect(git(tree, 'status', '--porcelain', '--', '.', ':!.patchbay')).toBe('');
  });

  it('is the same folder in the worktree where the project is a part of its repository', async () => {
    const top = repository({ 'packages/app/src/a.ts': 'a', 'packages/lib/b.ts': 'b' });
    const ws = await open(join(top, 'packages', 'app'));
    expect(read(ws.dir, 'src/a.ts')).toBe('a');
    const before = await snapshot(ws);
    put(ws.dir, { 'src/a.ts': 'changed', '../lib/b.ts': 'changed' });
    expect(told(await observe(ws, before))).toEqual(['modified ../lib/b.ts', 'modified src/a.ts']);
  });

  it.each([
    ['it is in no repository', () => scratch()],
    ['the repository is bare', () => bare()],
    ['its repository does not know the folder', () => unknownFolder()],
  ])('is the project folder where %s', async (_, make) => {
    const project = make();
    const ws = await open(project);
    expect(ws).toMatchObject({ dir: project, kind: 'folder', branch: null, base: null });
    expect(await open(project)).toEqual(ws);
    expect(await commitTurn(ws, { message: 'x', author })).toBeNull();
    expect(await openTurnWorkspace(ws, 'turn-1')).toBe(ws);
  });

  it('works with spaces, quotes and letters of all kinds in the path', async () => {
    const project = join(scratch(), 'my "projekt" grüße 日本');
    mkdirSync(project);
    git(project, 'init', '--quiet');
    put(project, { 'a b/ü.ts': 'x' });
    commitAll(project);
    const ws = await open(project);
    const before = await snapshot(ws);
    put(ws.dir, { 'a b/ü.ts': 'y' });
    expect(told(await observe(ws, before))).toEqual(['modified a b/ü.ts']);
    expect(await commitTurn(ws, { message: 'y', author })).toMatch(/^[0-9a-f]{40}$/);
  });

  it('works in a repository with SHA-256 and in a shallow clone', async () => {
    const long = scratch();
    git(long, 'init', '--quiet', '--object-format=sha256');
    put(long, { a: 'a' });
    commitAll(long);
    const source = repository();
    commitAll(source);
    const shallow = join(scratch(), 'clone');
    git(source, 'clone', '--quiet', '--depth=1', `file://${source}`, shallow);
    for (const project of [long, shallow]) {
      const ws = await open(project);
      put(ws.dir, { b: 'b' });
      const commit = await commitTurn(ws, { message: 'b', author });
      expect(git(project, 'show', `${commit}:b`)).toBe('b');
    }
  });

  it('has the line ends of the repository, whatever the user has set', async () => {
    const project = repository({ 'unix.txt': 'a\nb\n', 'dos.txt': 'a\r\nb\r\n' });
    git(project, 'config', 'core.autocrlf', 'true');
    rmSync(join(project, 'unix.txt'));
    git(project, 'checkout', '--quiet', '--', 'unix.txt');
    expect(read(project, 'unix.txt')).toBe('a\r\nb\r\n');
    const ws = await open(project);
    expect([read(ws.dir, 'unix.txt'), read(ws.dir, 'dos.txt')]).toEqual(['a\nb\n', 'a\r\nb\r\n']);
    const before = await snapshot(ws);
    expect(await observe(ws, before)).toEqual([]);
    put(ws.dir, { 'unix.txt': 'a\r\nb\r\n' });
    expect(told(await observe(ws, before))).toEqual(['modified unix.txt']);
  });

  it('goes away when it is closed, and leaves the branch or not', async () => {
    const project = repository();
    for (const keepBranch of [true, false]) {
      const ws = await open(project);
      await openTurnWorkspace(ws, 'turn-1');
      await closeWorkspace(ws, { keepBranch });
      expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
      expect(existsSync(ws.dir)).toBe(false);
      expect(git(project, 'branch', '--list', 'patchbay/*')).toBe(keepBranch ? 'patchbay/run-1' : '');
    }
  });

  it('goes on with its branch if it is opened again after it was closed', async () => {
    const project = repository();
    const ws = await open(project);
    put(ws.dir, { b: 'b' });
    const commit = await commitTurn(ws, { message: 'b', author });
    await closeWorkspace(ws, { keepBranch: true });
    const again = await open(project);
    expect(read(again.dir, 'b')).toBe('b');
    expect(await commitTurn(again, { message: 'nothing', author })).toBe(commit);
  });

  it('does not take over a branch that somebody else made', async () => {
    const project = repository();
    git(project, 'checkout', '--quiet', '-b', 'patchbay/run-1');
    const commit = commitAll(project, 'mine');
    git(project, 'checkout', '--quiet', 'main');
    await expect(open(project)).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      hint: expect.stringContaining('git branch -D patchbay/run-1'),
    });
    expect(git(project, 'rev-parse', 'patchbay/run-1')).toBe(commit);
  });
});

function bare(): string {
  const dir = scratch();
  git(dir, 'init', '--quiet', '--bare');
  return dir;
}

function unknownFolder(): string {
  const dir = join(repository(), 'scratch', 'project');
  mkdirSync(dir, { recursive: true });
  return dir;
}
