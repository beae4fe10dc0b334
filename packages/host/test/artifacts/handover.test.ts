import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer } from '../../../../test/postgres.ts';
import { removeBundle } from '../../src/workspaces/index.ts';
import { templateOf } from '../runs/fixture.ts';
import { git, put } from '../workspaces/fixture.ts';
import { leavesMark, type Play, pair, stopped } from './fixture.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

describe('A run that goes from host to host', () => {
  it('has there what was accepted before, and comes back with what was done there', async () => {
    const { a, b } = await pair(await server.database());
    const seen: string[] = [];
    const look: Play = (work, site) => {
      seen.push(
        ...['x', 'y']
          .filter((role) => site.work(work.run_id, `${role}.txt`) !== undefined)
          .map((role) => `${work.role} sees ${role}`),
      );
      return leavesMark(work, site);
    };
    a.play = b.play = look;
    const run = await a.request(templateOf({ build: ['x', 'y', 'z'] }));
    await a.advance(run, 'turn:accepted build.x#1');
    await b.advance(run, 'turn:accepted build.y#1');
    const end = await a.advance(run);
    expect(end.status).toBe('completed');
    expect(seen).toEqual(['y sees x', 'z sees x', 'z sees y']);
    for (const [role, site] of [
      ['x', 'A'],
      ['y', 'B'],
      ['z', 'A'],
    ]) {
      expect(a.accepted(run, `${role}.txt`)).toBe(`attempt 1 on ${site}`);
    }
    // Each turn is a commit, by whoever had the role, on whatever host.
    expect(git(a.dir, 'log', '--format=%an', `main..patchbay/${run}`)).toBe('z\ny\nx');
  });

  it('is reviewed and accepted on a host that did not do the work, with all that is not committed', async () => {
    const { a, b } = await pair(await server.database());
    const patches: string[] = [];
    a.play = ({ workspace }) => {
      rmSync(join(workspace, 'a.txt'));
      put(workspace, { 'new/b.txt': 'b\n', 'run.sh': '#!/bin/sh\n' });
      chmodSync(join(workspace, 'run.sh'), 0o755);
    };
    b.play = ({ bundle, workspace, reviews }) => {
      if (reviews === null) return;
      patches.push(readFileSync(join(bundle, 'changes.patch'), 'utf8'));
      expect(bundle.startsWith(b.dir)).toBe(true);
      expect(statSync(join(workspace, 'run.sh')).mode & 0o111).toBe(0o111);
    };
    const run = await a.request(templateOf({ build: ['x', 'y'] }, { reviewers: ['r'] }));
    await a.advance(run, 'turn:submitted build.x#1');
    const end = await b.advance(run);
    expect(end).toMatchObject({ status: 'completed', files: ['a.txt', 'new/b.txt', 'run.sh'] });
    expect(b.worked).toEqual(['build.x.1.r#1', 'build.y#1', 'build.y.1.r#1']);
    expect(patches[0]).toMatch(/deleted file[\s\S]*new\/b\.txt/);
    expect(git(b.dir, 'ls-tree', '-r', '--name-only', `patchbay/${run}`)).not.toContain('a.txt');
  });

  it('whose host is gone in the middle of a turn begins that turn afresh, with the same bundle', async () => {
    const { a, b } = await pair(await server.database());
    const bundles: string[] = [];
    b.play = (work, site) => {
      bundles.push(readFileSync(join(work.bundle, 'turn.json'), 'utf8'));
      expect(site.work(work.run_id, 'half.txt')).toBeUndefined();
      return leavesMark(work, site);
    };
    const run = await a.request(templateOf({ build: ['w', 'x', 'y'] }));
    await a.advance(run, 'turn:accepted build.w#1');
    const dying = new AbortController();
    a.play = async ({ workspace, bundle, signal }) => {
      bundles.push(readFileSync(join(bundle, 'turn.json'), 'utf8'));
      put(workspace, { 'half.txt': 'half\n' });
      dying.abort();
      await stopped(signal);
    };
    await a.service.runs.advance(run, dying.signal);
    // On another machine the folder of this one is not there.
    removeBundle(join(a.dir, '.patchbay/runs', run, 'turns/build.x-1/bundle'));
    const state = await b.advance(run, 'turn:accepted build.x#1');
    expect(state.turns).toContainEqual(expect.objectContaining({ turn_id: 'build.x', attempt: 1, state: 'accepted' }));
    expect(bundles[1]).toBe(bundles[0]);
    // The first host has half of a turn in its worktree that another one has done.
    a.play = (work, site) => {
      expect(site.work(work.run_id, 'half.txt')).toBeUndefined();
      expect(site.work(work.run_id, 'x.txt')).toBe('attempt 1 on B\n');
      return leavesMark(work, site);
    };
    expect(await a.advance(run)).toMatchObject({ status: 'completed', files: ['w.txt', 'x.txt', 'y.txt'] });
  });

  it('tries a turn again elsewhere with what the attempt before has left', async () => {
    const { a, b } = await pair(await server.database());
    const reject: Play = (work, site) => {
      if (work.reviews === null) return leavesMark(work, site);
      writeFileSync(
        work.result_file,
        JSON.stringify({
          status: 'rejected',
          summary: 'not yet',
          objections: [{ id: 'OBJ-1', severity: 'high', statement: 'No' }],
        }),
      );
    };
    a.play = reject;
    const run = await a.request(templateOf({ build: ['x'] }, { reviewers: ['r'] }));
    await a.advance(run, 'turn:rejected build.x#1');
    const end = await b.advance(run);
    expect(end).toMatchObject({ status: 'completed', files: ['x.txt'] });
    expect(b.accepted(run, 'x.txt')).toBe('attempt 1 on A\nattempt 2 on B');
  });

  it('does not ask for work again that was handed in by a host that could not say so any more', async () => {
    const url = await server.database();
    const { a, b } = await pair(url);
    const run = await a.request(templateOf({ build: ['x'] }));
    a.play = async (work, site) => {
      leavesMark(work, site);
      await a.service.ledger.close();
    };
    await expect(a.advance(run)).rejects.toThrow();
    // It would try again; as when it cannot, and others have taken it for dead.
    await server.run('DELETE FROM patchbay.claims', url);
    const end = await b.advance(run);
    expect(end).toMatchObject({ status: 'completed', files: ['x.txt'] });
    expect(b.worked).toEqual([]);
    expect(b.accepted(run, 'x.txt')).toBe('attempt 1 on A');
  });

  it('is not set back by a host that wakes up when another one has gone on', async () => {
    const url = await server.database();
    const { a, b } = await pair(url);
    const run = await a.request(templateOf({ build: ['x', 'y'] }));
    const [sleeps, wakes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    a.play = async (work, site) => {
      leavesMark(work, site);
      sleeps.resolve();
      await wakes.promise;
    };
    const first = a.advance(run);
    await sleeps.promise;
    // As when others have taken it for dead and it has not noticed yet.
    await server.run('DELETE FROM patchbay.claims', url);
    await b.advance(run, 'turn:submitted build.x#1');
    wakes.resolve();
    // What it has done is of no use any more. When it has the run again, it goes on with what the other one did.
    await expect(first).rejects.toMatchObject({ code: 'RUN_ELSEWHERE' });
    a.play = leavesMark;
    expect((await a.advance(run)).status).toBe('completed');
    expect([a.accepted(run, 'x.txt'), a.accepted(run, 'y.txt')]).toEqual(['attempt 1 on B', 'attempt 1 on A']);
    expect(a.worked).toEqual(['build.x#1', 'build.y#1']);
  });

  it('takes turns that work beside each other along, done and half done', async () => {
    const { a, b } = await pair(await server.database());
    const run = await a.request(templateOf({ build: [['x', 'y'], 'z'] }, { reviewers: ['r'] }));
    const xIsReviewed = Promise.withResolvers<void>();
    a.play = async (work, site) => {
      if (work.role === 'y') await Promise.race([xIsReviewed.promise, stopped(work.signal)]);
      if (work.reviews === 'build.x') xIsReviewed.resolve();
      if (work.reviews === 'build.x') await stopped(work.signal);
      return leavesMark(work, site);
    };
    // The work of x is handed in and under review, then that of y is handed in.
    await a.advance(run, 'turn:submitted build.y#1');
    const end = await b.advance(run);
    expect(end).toMatchObject({ status: 'completed', files: ['x.txt', 'y.txt', 'z.txt'] });
    expect(b.worked.toSorted()).toEqual(['build.x.1.r#1', 'build.y.1.r#1', 'build.z#1', 'build.z.1.r#1']);
    expect([b.accepted(run, 'x.txt'), b.accepted(run, 'y.txt')]).toEqual(['attempt 1 on A', 'attempt 1 on A']);
    expect(b.accepted(run, 'z.txt')).toBe('attempt 1 on B');
  });

  it('tries work again elsewhere, on top of what it collided with', async () => {
    const { a, b } = await pair(await server.database());
    const run = await a.request(templateOf({ build: [['x', 'y']] }));
    const write: Play = ({ workspace, role }) =>
      put(workspace, { 'a.txt': `${readFileSync(join(workspace, 'a.txt'), 'utf8')}${role}\n` });
    const xIsIn = Promise.withResolvers<void>();
    a.service.ledger.on('appended', ({ event }) => event.type === 'turn:accepted' && xIsIn.resolve());
    a.play = async (work, site) => {
      await write(work, site);
      if (work.role === 'y') await xIsIn.promise;
    };
    b.play = write;
    const state = await a.advance(run, 'turn:rejected build.y#1');
    expect(state.turns.find(({ turn_id }) => turn_id === 'build.y')?.feedback[0]).toContain('collides');
    const end = await b.advance(run);
    expect(end.status).toBe('completed');
    expect(b.accepted(run, 'a.txt')).toBe('a\nx\ny');
  });

  it('that was held is released elsewhere, and begins with what was accepted', async () => {
    const { a, b } = await pair(await server.database());
    a.play = (work, site) => (work.role === 'y' ? false : leavesMark(work, site));
    const run = await a.request(templateOf({ build: ['x'], test: ['y'] }, { limits: { attempts: 1 } }));
    expect(await a.advance(run)).toMatchObject({ status: 'held', phase: 'test' });
    const next = await b.service.runs.release(run, 'pat');
    expect(await b.advance(next)).toMatchObject({ status: 'completed', files: ['x.txt', 'y.txt'] });
    expect(b.accepted(next, 'x.txt')).toBe('attempt 1 on A');
    expect(b.accepted(run, 'x.txt')).toBe('attempt 1 on A');
  });

  it('leaves nothing but its last work behind when it has ended', async () => {
    const url = await server.database();
    const { a, b } = await pair(url);
    const run = await a.request(templateOf({ build: ['x', 'y'] }, { reviewers: ['r'] }));
    await a.advance(run, 'turn:submitted build.y#1');
    await b.advance(run);
    const names = (await server.run('SELECT name FROM patchbay.artifacts ORDER BY name', url)).map(({ name }) => name);
    expect(names).toEqual(['head', expect.stringMatching(/^work-/)]);
  });
});

describe('A turn that changes nothing', () => {
  it('stores no work, and goes from host to host all the same', async () => {
    const url = await server.database();
    const { a, b } = await pair(url, { play: () => {} });
    const stored: string[] = [];
    const look = async () => {
      const rows = await server.run("SELECT name FROM patchbay.artifacts WHERE name LIKE 'work-%'", url);
      stored.push(...rows.map(({ name }) => String(name)));
    };
    const run = await a.request(templateOf({ build: ['x', 'y', 'z'] }));
    for (const [site, role] of [
      [a, 'x'],
      [b, 'y'],
    ] as const) {
      await site.advance(run, `turn:accepted build.${role}#1`);
      await look();
    }
    expect((await a.advance(run)).status).toBe('completed');
    expect(new Set(stored).size).toBe(1);
    expect([a.worked, b.worked]).toEqual([['build.x#1', 'build.z#1'], ['build.y#1']]);
  });
});

describe('A host whose repository is behind', () => {
  it('says which commit it needs, and goes on when that is fetched', async () => {
    const { a, b, origin } = await pair(await server.database());
    put(origin, { 'later.txt': 'later\n' });
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message=later');
    const commit = git(origin, 'rev-parse', 'HEAD');
    git(a.dir, 'pull', '--quiet');
    const run = await a.request(templateOf({ build: ['x', 'y'] }));
    await a.advance(run, 'turn:accepted build.x#1');
    await expect(b.advance(run)).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      message: expect.stringContaining(commit),
      hint: expect.stringContaining('git fetch'),
    });
    git(b.dir, 'fetch', '--quiet');
    expect((await b.advance(run)).status).toBe('completed');
    expect(b.accepted(run, 'later.txt')).toBe('later');
  });

  it('is given what was never pushed', async () => {
    const { a, b } = await pair(await server.database());
    put(a.dir, { 'own.txt': 'own\n' });
    git(a.dir, 'add', '--all');
    git(a.dir, 'commit', '--quiet', '--message=own');
    const run = await a.request(templateOf({ build: ['x', 'y'] }));
    await a.advance(run, 'turn:accepted build.x#1');
    expect((await b.advance(run)).status).toBe('completed');
    expect(b.accepted(run, 'own.txt')).toBe('own');
  });
});
