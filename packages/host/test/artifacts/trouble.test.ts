import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { folder } from '../../../../test/project.ts';
import { findProject } from '../../src/config/project.ts';
import { removeBundle } from '../../src/workspaces/index.ts';
import { templateOf } from '../runs/fixture.ts';
import { put } from '../workspaces/fixture.ts';
import { leavesMark, originOf, pair, Site, stopped } from './fixture.ts';
import { ObjectServer, storingModule } from './object-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

describe('Work that another host stored', () => {
  it.each([
    ['was changed', "content = content || 'x'"],
    ['was changed together with its hash', "content = 'x', sha256 = encode(sha256('x'), 'hex')"],
  ])('and that %s is refused', async (_, change) => {
    const url = await server.database();
    const { a, b } = await pair(url);
    const run = await a.request(templateOf({ build: ['x', 'y'] }));
    await a.advance(run, 'turn:accepted build.x#1');
    await server.run(`UPDATE patchbay.artifacts SET ${change} WHERE name LIKE 'work-%'`, url);
    await expect(b.advance(run)).rejects.toMatchObject({
      code: 'ARTIFACT_CORRUPT',
      run,
      message: expect.stringMatching(new RegExp(`"work-.*" of run ${run} is not what was stored`)),
    });
    expect(b.worked).toEqual([]);
    // Whoever has it needs nothing of what is stored.
    expect((await a.advance(run)).status).toBe('completed');
  });

  it('does not make up for a bundle that was changed', async () => {
    const url = await server.database();
    const { a, b } = await pair(url);
    const run = await a.request(templateOf({ build: ['x'] }, { limits: { attempts: 1 } }));
    a.play = ({ signal }) => stopped(signal);
    await a.advance(run, 'turn:dispatched build.x#1');
    // On another machine it is not there.
    removeBundle(join(a.dir, '.patchbay/runs', run, 'turns/build.x-1/bundle'));
    await server.run(`UPDATE patchbay.artifacts SET content = '{}', sha256 = encode(sha256('{}'), 'hex')`, url);
    const { status, reason } = await b.advance(run);
    expect([status, b.worked]).toEqual(['held', []]);
    expect(reason).toContain('is not what was dispatched');
  });

  it('is too large: the turn fails, which says so, and the next attempt may leave it out', async () => {
    const origin = originOf({ 'patchbay.yaml': 'engine: postgres\nartifacts:\n  max_mb: 1\n' });
    const told: string[] = [];
    const { a, b } = await pair(await server.database(), {
      origin,
      play: ({ workspace, attempt }) => {
        put(workspace, { 'data.bin': attempt === 1 ? randomBytes(1_500_000).toString('latin1') : 'small\n' });
      },
    });
    a.service.ledger.on('appended', ({ event }) => {
      if (event.type === 'turn:failed') told.push((event.payload as { error: { message: string } }).error.message);
    });
    const run = await a.request(templateOf({ build: ['x', 'y'] }, { limits: { attempts: 2 } }));
    await a.advance(run, 'turn:accepted build.x#2');
    expect(told).toEqual([expect.stringMatching(new RegExp(`of run ${run} has \\d MB.*at most 1 MB.*"artifacts"`))]);
    b.play = leavesMark;
    expect((await b.advance(run)).status).toBe('completed');
    expect(b.accepted(run, 'data.bin')).toBe('small');
  });
});

describe('The work of runs goes from host to host', () => {
  it('through a folder that both see', async () => {
    const shared = folder();
    const origin = originOf({ 'patchbay.yaml': `engine: postgres\nartifacts:\n  dir: ${shared}\n  max_mb: 0.001\n` });
    const { a, b } = await pair(await server.database(), { origin });
    a.play = (work, site) => {
      put(work.workspace, { 'data.txt': randomBytes(10_000).toString('hex') });
      return leavesMark(work, site);
    };
    const run = await a.request(templateOf({ build: ['x', 'y'] }));
    await a.advance(run, 'turn:accepted build.x#1');
    expect((await b.advance(run)).status).toBe('completed');
    expect(b.accepted(run, 'data.txt')).toHaveLength(20_000);
    expect(readdirSync(join(shared, run))).toEqual([expect.stringMatching(/^work-/)]);
  });

  it('through what a plugin keeps elsewhere', async () => {
    const objects = await ObjectServer.start();
    onTestFinished(() => objects.close());
    const origin = originOf({
      'patchbay.yaml': 'engine: postgres\nplugins:\n  objects:\n    path: objects.mjs\n',
      'objects.mjs': storingModule(objects.url),
    });
    const { a, b } = await pair(await server.database(), { origin });
    const run = await a.request(templateOf({ build: ['x', 'y'] }));
    await a.advance(run, 'turn:accepted build.x#1');
    expect((await b.advance(run)).status).toBe('completed');
    expect(b.accepted(run, 'x.txt')).toBe('attempt 1 on A');
    expect(objects.paths.some((path) => path.startsWith(`/bucket/${run}/work-`))).toBe(true);
  });
});

describe('A project that is no repository', () => {
  it('has runs whose work stays in its folder, with only their bundles stored while they last', async () => {
    const url = await server.database();
    const site = new Site('A', originOf(), leavesMark);
    rmSync(join(site.dir, '.git'), { recursive: true });
    await site.start(url);
    const run = await site.request(templateOf({ build: ['x', 'y'] }, { reviewers: ['r'] }));
    const stored = () => server.run('SELECT name FROM patchbay.artifacts', url);
    await site.advance(run, 'turn:accepted build.x#1');
    // Of the turn, of its review, and of the turn that is dispatched with its acceptance.
    expect(await stored()).toEqual(Array(3).fill({ name: expect.stringMatching(/^bundle-/) }));
    expect(await site.advance(run)).toMatchObject({ status: 'completed', files: ['x.txt', 'y.txt'] });
    expect(existsSync(join(site.dir, 'y.txt'))).toBe(true);
    expect(await stored()).toEqual([]);
  });
});

describe('A host on which a run was begun that another one has finished', () => {
  it('closes its worktree, and has the whole branch', async () => {
    const url = await server.database();
    const origin = originOf();
    const b = await new Site('B', origin, leavesMark).start(url);
    const a = new Site('A', origin, leavesMark);
    const close = await a.start(url).then(() => a.close);
    const run = await a.request(templateOf({ build: ['x', 'y'] }));
    await a.advance(run, 'turn:accepted build.x#1');
    await b.advance(run);
    await close();
    const worktree = join(a.dir, '.patchbay/runs', run, 'work');
    expect(existsSync(worktree)).toBe(true);
    await a.start(url);
    await eventually(() => expect(existsSync(worktree)).toBe(false));
    await eventually(() => expect(a.accepted(run, 'y.txt')).toBe('attempt 1 on B'));
  });
});

describe('The settings of artifacts', () => {
  it.each([
    ['artifacts: 7', /"artifacts": must hold fields/],
    ['artifacts: { folder: x }', /"artifacts.folder".*dir/],
    ['artifacts: { dir: 7 }', /"artifacts.dir": must be a folder/],
    ['artifacts: { max_mb: 0 }', /"artifacts.max_mb": must be a number/],
    ['artifacts: { max_mb: 9000 }', /at most 512/],
  ])('%s are refused', (yaml, message) => {
    expect(() => findProject(folder({ 'patchbay.yaml': `${yaml}\n` }))).toThrow(message);
  });
});
