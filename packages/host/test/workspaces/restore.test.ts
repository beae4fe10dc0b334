import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { observe, restore, snapshot } from '../../src/workspaces/index.ts';
import { git, open, put, read, repository, scratch, told } from './fixture.ts';

describe('taking changes back', () => {
  it.each(['worktree', 'folder'])('leaves the files of a %s as they were', async (kind) => {
    const files = {
      'a.ts': 'a\n',
      'gone.ts': 'gone\n',
      'old.ts': 'a file\nwith lines\n',
      'run.sh': 'x',
      'dir/x': 'in dir',
    };
    const project = kind === 'worktree' ? repository(files) : scratch();
    put(project, files);
    const ws = await open(project);
    const before = await snapshot(ws);
    const at = (path: string) => join(ws.dir, path);
    put(ws.dir, { 'a.ts': 'changed', 'new/deep.ts': 'x', '--help': 'x', '*': 'x', '.GIT/x': 'x' });
    rmSync(at('gone.ts'));
    renameSync(at('old.ts'), at('moved.ts'));
    chmodSync(at('run.sh'), 0o755);
    rmSync(at('dir'), { recursive: true });
    const elsewhere = scratch();
    put(elsewhere, { x: 'not to be touched' });
    symlinkSync(elsewhere, at('dir'));
    mkdirSync(at('nested'));
    git(at('nested'), 'init', '--quiet');
    writeFileSync(at('huge'), '');
    truncateSync(at('huge'), 1024 ** 3);
    expect(await restore(ws, await observe(ws, before), before)).toEqual([]);
    expect(await observe(ws, before)).toEqual([]);
    expect(Object.fromEntries(Object.keys(files).map((path) => [path, read(ws.dir, path)]))).toEqual(files);
    expect(statSync(at('run.sh')).mode & 0o111).toBe(0);
    expect(
      ['new', '--help', '*', '.GIT/x', 'nested', 'huge', 'moved.ts'].filter((path) => existsSync(at(path))),
    ).toEqual([]);
    expect(read(elsewhere, 'x')).toBe('not to be touched');
  });

  it('touches nothing else', async () => {
    const ws = await open(repository({ 'a.ts': 'a', 'b.ts': 'b' }));
    const before = await snapshot(ws);
    put(ws.dir, { 'a.ts': 'changed', 'b.ts': 'changed', 'c.ts': 'new' });
    const changes = await observe(ws, before);
    await restore(
      ws,
      changes.filter(({ path }) => path === 'b.ts'),
      before,
    );
    expect(told(await observe(ws, before))).toEqual(['modified a.ts', 'added c.ts']);
  });

  it('brings back what was not committed either', async () => {
    const ws = await open(repository({ 'a.ts': 'a' }));
    put(ws.dir, { 'a.ts': 'first turn', 'b.ts': 'first turn' });
    const before = await snapshot(ws);
    put(ws.dir, { 'a.ts': 'second turn' });
    rmSync(join(ws.dir, 'b.ts'));
    await restore(ws, await observe(ws, before), before);
    expect([read(ws.dir, 'a.ts'), read(ws.dir, 'b.ts')]).toEqual(['first turn', 'first turn']);
  });

  it('says so where what was there is not kept', async () => {
    const ws = await open(repository());
    writeFileSync(join(ws.dir, 'huge'), '');
    truncateSync(join(ws.dir, 'huge'), 200 * 1024 ** 2);
    const before = await snapshot(ws);
    rmSync(join(ws.dir, 'huge'));
    expect(told(await restore(ws, await observe(ws, before), before))).toEqual(['deleted huge (large)']);
  });

  it('works with a snapshot that was written down and read again', async () => {
    const ws = await open(repository({ 'a.ts': 'a' }));
    const before = JSON.parse(JSON.stringify(await snapshot(ws)));
    put(ws.dir, { 'a.ts': 'changed' });
    await restore(await open(ws.project), await observe(ws, before), before);
    expect(read(ws.dir, 'a.ts')).toBe('a');
  });
});
