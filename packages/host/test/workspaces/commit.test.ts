import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  closeTurnWorkspace,
  commitTurn,
  diffStat,
  mergeTurn,
  observe,
  openTurnWorkspace,
  patch,
  snapshot,
  type Workspace,
} from '../../src/workspaces/index.ts';
import { author, git, open, put, read, repository, told } from './fixture.ts';

const text = (message: string) => ({ message, author });

describe('accepted work', () => {
  it('becomes one commit on the branch of the run, by its author, and the worktree is clean', async () => {
    const project = repository({ 'a.ts': 'a', 'old.ts': 'old' });
    const ws = await open(project);
    put(ws.dir, { 'a.ts': 'changed', 'deep/new.ts': 'new', '--help': 'x' });
    rmSync(join(ws.dir, 'old.ts'));
    const commit = await commitTurn(ws, text('Mend it\n\nBecause it was broken.\n'));
    expect(git(project, 'rev-parse', 'patchbay/run-1')).toBe(commit);
    expect(git(project, 'log', '-1', '--format=%an <%ae>|%cn|%B', 'patchbay/run-1')).toBe(
      'dev <dev@example.com>|Patchbay|Mend it\n\nBecause it was broken.',
    );
    expect(git(project, 'ls-tree', '-r', '--name-only', 'patchbay/run-1').split('\n')).toEqual([
      '--help',
      'a.ts',
      'deep/new.ts',
    ]);
    expect(git(project, 'rev-parse', 'patchbay/run-1^')).toBe(ws.base);
    expect(git(ws.dir, 'status', '--porcelain')).toBe('');
    expect(git(project, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('is committed once, however often', async () => {
    const project = repository();
    const ws = await open(project);
    expect(await commitTurn(ws, text('nothing'))).toBe(ws.base);
    put(ws.dir, { b: 'b' });
    const commit = await commitTurn(ws, text('b'));
    expect(await commitTurn(ws, text('b again'))).toBe(commit);
    expect(git(project, 'log', '--format=%s', 'patchbay/run-1')).toBe('b\nchange');
  });

  it('is one commit even if the agent made its own, or moved the branch', async () => {
    const project = repository();
    const ws = await open(project);
    put(ws.dir, { b: 'b' });
    git(ws.dir, 'add', '.');
    git(ws.dir, 'commit', '--quiet', '--message=mine');
    git(ws.dir, 'checkout', '--quiet', '-b', 'elsewhere');
    put(ws.dir, { c: 'c' });
    await commitTurn(ws, text('all of it'));
    expect(git(project, 'log', '--format=%s', 'patchbay/run-1')).toBe('all of it\nchange');
    expect(git(ws.dir, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('patchbay/run-1');
    expect(git(ws.dir, 'status', '--porcelain')).toBe('');
  });

  it('is the only thing that gets into the repository', async () => {
    const project = repository();
    const ws = await open(project);
    const count = () => git(project, 'count-objects');
    const before = count();
    put(ws.dir, { 'rejected.ts': 'x' });
    await snapshot(ws);
    rmSync(join(ws.dir, 'rejected.ts'));
    expect(count()).toBe(before);
  });
});

describe('turns at the same time', () => {
  async function two(
    files: Record<string, string>,
  ): Promise<[project: string, run: Workspace, one: Workspace, two: Workspace]> {
    const project = repository(files);
    const run = await open(project);
    return [project, run, await openTurnWorkspace(run, 'turn-1'), await openTurnWorkspace(run, 'turn/2 ü')];
  }

  it('work apart, and their work is brought together', async () => {
    const [project, run, one, other] = await two({ 'a.ts': 'a', 'b.ts': 'b' });
    put(one.dir, { 'a.ts': 'one' });
    put(other.dir, { 'b.ts': 'two', 'c.ts': 'two' });
    expect(read(run.dir, 'a.ts')).toBe('a');
    const commit = await commitTurn(one, text('one'));
    await commitTurn(other, text('two'));
    expect(await mergeTurn(run, one)).toEqual({ ok: true, commit });
    const merged = await mergeTurn(run, other);
    expect(merged).toEqual({ ok: true, commit: git(project, 'rev-parse', 'patchbay/run-1') });
    expect(await mergeTurn(run, other)).toEqual(merged);
    expect(['a.ts', 'b.ts', 'c.ts'].map((path) => read(run.dir, path))).toEqual(['one', 'two', 'two']);
    expect(git(run.dir, 'status', '--porcelain')).toBe('');
    closeTurnWorkspace(run, one);
    closeTurnWorkspace(run, other);
    expect(existsSync(one.dir)).toBe(false);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(2);
    expect(git(project, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('change nothing where they contradict each other, and the files are named', async () => {
    const [project, run, one, other] = await two({ 'a b.ts': 'a', 'c.ts': 'c' });
    put(one.dir, { 'a b.ts': 'one' });
    put(other.dir, { 'a b.ts': 'two', 'c.ts': 'two' });
    await commitTurn(one, text('one'));
    await commitTurn(other, text('two'));
    await mergeTurn(run, one);
    const head = git(project, 'rev-parse', 'patchbay/run-1');
    const before = await snapshot(run);
    expect(await mergeTurn(run, other)).toEqual({ ok: false, conflicts: ['a b.ts'] });
    expect(git(project, 'rev-parse', 'patchbay/run-1')).toBe(head);
    expect(await observe(run, before)).toEqual([]);
    expect(git(run.dir, 'status', '--porcelain')).toBe('');
  });

  it('are merged line by line in the same file', async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
    const [, run, one, other] = await two({ a: lines.join('') });
    put(one.dir, { a: ['first\n', ...lines].join('') });
    put(other.dir, { a: [...lines, 'last\n'].join('') });
    for (const turn of [one, other]) {
      await commitTurn(turn, text('x'));
      expect(await mergeTurn(run, turn)).toMatchObject({ ok: true });
    }
    expect(read(run.dir, 'a')).toBe(['first\n', ...lines, 'last\n'].join(''));
  });

  it('begin with what was accepted before, and see only their own changes', async () => {
    const run = await open(repository());
    put(run.dir, { b: 'b' });
    const base = await commitTurn(run, text('b'));
    const turn = await openTurnWorkspace(run, 'turn-1');
    expect(turn).toMatchObject({ kind: 'worktree', branch: null, base });
    const before = await snapshot(turn);
    put(turn.dir, { b: 'changed' });
    expect(told(await observe(turn, before))).toEqual(['modified b']);
    expect(await openTurnWorkspace(run, 'turn-1')).toEqual(turn);
    expect(read(turn.dir, 'b')).toBe('changed');
  });

  it('that did nothing are merged as nothing', async () => {
    const [, run, one] = await two({ a: 'a' });
    await commitTurn(one, text('nothing'));
    expect(await mergeTurn(run, one)).toEqual({ ok: true, commit: run.base });
  });
});

describe('what reviewers read', () => {
  it('is what changed since the snapshot, new files included', async () => {
    const ws = await open(repository({ 'ä.ts': 'one\n', 'old.ts': 'the same\nin both\n' }));
    const before = await snapshot(ws);
    put(ws.dir, { 'ä.ts': 'two\n', 'new.ts': 'new\n' });
    renameSync(join(ws.dir, 'old.ts'), join(ws.dir, 'moved.ts'));
    const shown = await patch(ws, before);
    expect(shown).toMatch(/3 files changed|4 files changed/);
    for (const part of ['-one\n+two\n', '+++ b/new.ts\n', 'rename from old.ts\nrename to moved.ts', '--- a/ä.ts']) {
      expect(shown).toContain(part);
    }
    expect(await diffStat(ws, before)).toEqual({ files: 4, added: 4, deleted: 3 });
  });

  it('is bounded, and says so', async () => {
    const ws = await open(repository());
    const before = await snapshot(ws);
    put(ws.dir, { 'long.txt': 'some line of text\n'.repeat(100_000) });
    const shown = await patch(ws, before, 10_000);
    expect(Buffer.byteLength(shown)).toBeLessThan(10_100);
    expect(shown).toMatch(/^\+some line of text\n\[cut: .*\]\n$/m);
  });

  it('is empty if nothing changed', async () => {
    const ws = await open(repository());
    expect(await patch(ws, await snapshot(ws))).toBe('');
  });
});
