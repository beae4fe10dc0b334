import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { guarded } from '../../src/runs/confinement.ts';
import { commitTurn, observe, openPlain, outside, patch, restore, snapshot } from '../../src/workspaces/index.ts';

function opened(files: Record<string, string> = {}) {
  const project = folder(files);
  const ws = openPlain({ project, folder: 'workspaces/home', state: join(project, '.patchbay/runs/r') });
  return { project, ws, put: (path: string, text: string) => writeFileSync(join(ws.dir, path), text) };
}

describe('a plain workspace', () => {
  it('is a folder of the project, made on demand, that no git looks after', async () => {
    const { project, ws } = opened();
    expect(ws).toMatchObject({ kind: 'plain', dir: join(project, 'workspaces/home'), branch: null, repository: null });
    expect(existsSync(ws.mirror)).toBe(false);
    expect(await commitTurn(ws, { message: 'x', author: { name: 'a', email: 'a@b.invalid' } })).toBeNull();
  });

  it('shows what was added, changed and deleted, however deep, and nothing else', async () => {
    const { ws, put } = opened();
    mkdirSync(join(ws.dir, 'a/b'), { recursive: true });
    for (const path of ['a/b/kept', 'changed', 'deleted', 'run']) put(path, 'x');
    const before = await snapshot(ws);
    put('changed', 'y');
    put('a/b/new', 'x');
    rmSync(join(ws.dir, 'deleted'));
    chmodSync(join(ws.dir, 'run'), 0o755);
    const changes = await observe(ws, before);
    expect(changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'added a/b/new',
      'modified changed',
      'deleted deleted',
      'modified run',
    ]);
    expect(outside(changes, ['**'])).toEqual([]);
    expect(await patch(ws, before)).toBe('added a/b/new\nmodified changed\ndeleted deleted\nmodified run\n');
  });

  it('is not looked at beyond a number of files, nor where packages are', async () => {
    const { ws, put } = opened();
    mkdirSync(join(ws.dir, 'node_modules/x'), { recursive: true });
    put('here', 'x');
    const before = await snapshot(ws);
    put('node_modules/x/index.js', 'x');
    expect(await observe(ws, before)).toEqual([]);
    for (let i = 0; i < 2100; i++) put(`file-${i}`, '');
    expect((await observe(ws, before)).every(({ kind }) => kind === 'modified')).toBe(true);
  });

  it('has files taken out again that were not to be added; what was changed cannot be put back', async () => {
    const { ws, put } = opened();
    put('old', 'x');
    const before = await snapshot(ws);
    put('old', 'y');
    put('new', 'x');
    const left = await restore(ws, await observe(ws, before), before);
    expect(left.map(({ path }) => path)).toEqual(['old']);
    expect(existsSync(join(ws.dir, 'new'))).toBe(false);
  });

  it('that leads out of the project is refused', () => {
    const elsewhere = folder();
    const project = folder({ 'workspaces/x': '' });
    symlinkSync(elsewhere, join(project, 'workspaces/home'));
    const open = () => openPlain({ project, folder: 'workspaces/home', state: join(project, '.patchbay/runs/r') });
    expect(open).toThrow(/leads out of the project/);
  });

  it('is all of the project that its programs can write to, beside the folder of the attempt', () => {
    const { project, ws } = opened();
    const { readOnly, writable } = guarded(ws, '/attempt');
    expect(readOnly).toContain(project);
    expect(writable).toEqual([ws.dir, '/attempt']);
  });
});
