import { renameSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { goldenOf } from '../../../../test/flows/golden.ts';
import { git, Stage } from '../../../../test/flows/stage.ts';
import type { Service } from '../../src/service.ts';
import { Pretend, stage as pretended, templateOf } from './fixture.ts';

/** The run of a stage, waiting at its gate. */
async function waiting(stage: Stage, service: Service): Promise<string> {
  const { run_id, status } = await stage.run(service);
  expect(status).toBe('waiting');
  return run_id;
}

async function approved(stage: Stage, service: Service, run_id: string) {
  await service.runs.vote(run_id, { by: 'ann', decision: 'approved', comment: 'go on' });
  return stage.advance(service, run_id);
}

describe('A run under way', () => {
  it.each<[what: string, change: (stage: Stage) => void]>([
    [
      'its template is edited',
      (stage) =>
        stage.write('patchbay/templates/flow.yaml', 'name: flow\nroles: { a: {} }\nphases: [{ name: x, steps: [] }]\n'),
    ],
    ['its template is removed', (stage) => rmSync(stage.file('patchbay/templates/flow.yaml'))],
    [
      'somebody works in the repository meanwhile',
      (stage) => {
        stage.write('src/a.txt', 'mine\n');
        stage.write('src/new.txt', 'mine too\n');
      },
    ],
    [
      'somebody commits on another branch meanwhile',
      (stage) => {
        git(stage.dir, 'checkout', '--quiet', '-b', 'other');
        stage.write('src/a.txt', 'mine\n');
        stage.commit();
      },
    ],
  ])('goes on as it began if %s', async (_, change) => {
    const stage = new Stage('straight');
    const { service } = await stage.start();
    const run_id = await waiting(stage, service);
    change(stage);
    const before = git(stage.dir, 'status', '--porcelain');
    const state = await approved(stage, service, run_id);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect([state.status, stage.result(state, 'src/a.txt')]).toEqual(['completed', 'done']);
    expect(git(stage.dir, 'status', '--porcelain')).toBe(before);
  });

  it('says so if its repository is gone, and goes on when it is back', async () => {
    const stage = new Stage('straight');
    const { service } = await stage.start();
    const run_id = await waiting(stage, service);
    renameSync(stage.file('.git'), stage.file('sources-git'));
    await service.runs.vote(run_id, { by: 'ann', decision: 'approved', comment: 'go on' });
    await expect(service.runs.advance(run_id)).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      message: expect.stringContaining('is no longer in a git repository'),
    });
    renameSync(stage.file('sources-git'), stage.file('.git'));
    expect((await stage.advance(service, run_id)).status).toBe('completed');
  });

  it('says so if its folder cannot be written, and goes on when it can', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    const workshop = new Pretend();
    const { prepare } = workshop;
    workshop.prepare = () => Promise.reject(full);
    const { run, resume } = await pretended(workshop);
    await expect(run(templateOf({ a: ['x'] }))).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      message: expect.stringContaining('no space left on device'),
      hint: expect.stringContaining('can be resumed'),
    });
    workshop.prepare = prepare;
    expect((await resume()).status).toBe('completed');
  });
});

describe('A repository without a commit', () => {
  it('is told as that, and the run goes on when there is one', async () => {
    const stage = new Stage('straight', { repository: false });
    git(stage.dir, 'init', '--quiet');
    const { service } = await stage.start();
    await expect(stage.run(service)).rejects.toMatchObject({
      code: 'WORKSPACE_DIRTY',
      message: expect.stringContaining('no commit yet'),
      hint: expect.stringContaining('git commit'),
    });
    stage.commit();
    const [row] = await Array.fromAsync(service.ledger.runs());
    expect((await stage.advance(service, row?.run_id ?? '')).status).toBe('waiting');
  });
});
