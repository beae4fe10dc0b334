import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { refuse } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { goldenOf, inOrder } from '../../../../test/flows/golden.ts';
import { git, Stage, type Staging } from '../../../../test/flows/stage.ts';
import { loadRun } from '../../src/runs/load.ts';
import { Pretend, stage as pretended, result, story, templateOf } from './fixture.ts';

/** The handler of a package in the 0.1 form that blocks. */
function blocking(phase: string) {
  const hooks = { [phase]: [{ type: 'process', command: ['./hooks/no.sh'], mode: 'blocking' }] };
  const manifest = { schema_version: '0.1', name: 'guard', version: '1.0.0', hooks };
  const answer = '{"verdict": "block", "message": "not on a Friday"}';
  return {
    'agentxchain-plugin.json': JSON.stringify(manifest),
    'hooks/no.sh': `#!/bin/sh\ncat > /dev/null\necho '${answer}'\n`,
  };
}

/** Carries the run of a case out, approved by Ann wherever it waits, and compares the ledger with the golden one. */
async function played(name: string, staging: Staging = {}) {
  const stage = new Stage(name, staging);
  const { service, close } = await stage.start();
  let state = await stage.run(service);
  while (state.status === 'waiting') {
    await service.runs.vote(state.run_id, { by: 'ann', decision: 'approved', comment: 'go on' });
    state = await stage.advance(service, state.run_id);
  }
  expect(await service.ledger.verify()).toMatchObject({ ok: true });
  await close();
  return { stage, state, golden: goldenOf(stage.events, stage.dir) };
}

describe('A run of scripts in a repository', () => {
  it('goes straight through planning, a gate that a person opens, and building', async () => {
    const { stage, state, golden } = await played('straight');
    await expect(golden).toMatchFileSnapshot(stage.golden);
    expect(state.status).toBe('completed');
    expect([stage.result(state, 'src/a.txt'), stage.read('src/a.txt')]).toEqual(['done', 'a\n']);
  });

  it('leaves nothing of its work in the repository but the branch', async () => {
    const { stage, state } = await played('straight');
    expect(git(stage.dir, 'status', '--porcelain')).toBe('');
    expect(git(stage.dir, 'branch', '--list', '--format=%(refname:short)').split('\n')).toEqual([
      'main',
      `patchbay/${state.run_id}`,
    ]);
    expect(git(stage.dir, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('goes the same way where nothing is checked out but a commit', async () => {
    const stage = new Stage('straight');
    git(stage.dir, 'checkout', '--quiet', '--detach');
    const { service } = await stage.start();
    const { run_id } = await stage.run(service);
    await service.runs.vote(run_id, { by: 'ann', decision: 'approved', comment: 'go on' });
    const state = await stage.advance(service, run_id);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(stage.result(state, 'src/a.txt')).toBe('done');
    expect(git(stage.dir, 'rev-parse', 'HEAD')).toBe(git(stage.dir, 'rev-parse', 'main'));
  });

  it('goes the same way in a folder that is no repository, in the folder itself', async () => {
    const { stage, golden } = await played('straight', { repository: false });
    await expect(golden).toMatchFileSnapshot(stage.golden);
    expect(stage.read('src/a.txt')).toBe('done\n');
  });

  it('has a turn done again with what its reviewer said', async () => {
    const { stage, golden } = await played('rejection');
    await expect(golden).toMatchFileSnapshot(stage.golden);
  });

  it('tries a turn again that fails, however it does, and tells the next attempt why', async () => {
    const { stage, golden, state } = await played('failures');
    await expect(golden).toMatchFileSnapshot(stage.golden);
    expect(state.status).toBe('completed');
  });

  it('is held when a turn was tried often enough', async () => {
    const { stage, golden } = await played('exhausted');
    await expect(golden).toMatchFileSnapshot(stage.golden);
  });

  it('is held when its budget is used up, and calls no agent after that', async () => {
    const { stage, golden } = await played('budget');
    await expect(golden).toMatchFileSnapshot(stage.golden);
  });

  it('is held at a gate that does not find what it demands, and says all that is missing', async () => {
    const { stage, golden } = await played('unmet');
    await expect(golden).toMatchFileSnapshot(stage.golden);
  });

  it('is held when a person refuses a gate, and only those may who are named', async () => {
    const stage = new Stage('refused');
    const { service } = await stage.start();
    const { run_id } = await stage.run(service);
    const vote = (by: string) => service.runs.vote(run_id, { by, decision: 'refused', comment: 'too vague' });
    await expect(vote('eve')).rejects.toMatchObject({ code: 'APPROVAL_INVALID' });
    await vote('bob');
    const state = await stage.advance(service, run_id);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect([state.status, state.gates]).toEqual(['held', [{ name: 'plan', state: 'refused' }]]);
    await expect(vote('ann')).rejects.toMatchObject({ code: 'APPROVAL_INVALID' });
  });

  it('begins anew where it was held, with what was accepted before', async () => {
    const stage = new Stage('resumed');
    const { service } = await stage.start();
    const held = await stage.run(service);
    expect(held).toMatchObject({ status: 'held', phase: 'building' });
    stage.write('sources/ready', '');
    const next = await stage.advance(service, await service.runs.release(held.run_id, 'pat'));
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(next).toMatchObject({ status: 'completed', resumes: held.run_id });
    expect(stage.result(next, 'src/a.txt')).toBe('plan');
  });
});

describe('Turns at the same time', () => {
  const told = ({ events, dir }: Stage, ...roles: string[]) =>
    goldenOf(
      inOrder(
        events,
        roles.map((role) => `building.${role}`),
      ),
      dir,
    );

  it('work apart from each other, and their work is brought together', async () => {
    const { stage, state } = await played('parallel');
    await expect(told(stage, 'writer', 'tester')).toMatchFileSnapshot(stage.golden);
    expect(stage.result(state, 'src/joined.txt')).toBe('writer\ntester');
  });

  it('work one after the other in a folder that is no repository', async () => {
    const { stage } = await played('parallel', { repository: false });
    await expect(told(stage, 'writer', 'tester')).toMatchFileSnapshot(stage.golden);
    expect(stage.read('src/joined.txt')).toBe('writer\ntester\n');
  });

  it('that change the same lines: the later one is rejected, and tries again on top of the other', async () => {
    const { stage, state } = await played('collision');
    await expect(told(stage, 'early', 'late')).toMatchFileSnapshot(stage.golden);
    expect(stage.result(state, 'src/a.txt')).toBe('early\nlate');
  });
});

describe('A plugin that blocks', () => {
  it('one of several turns at the same time: whatever the others still say comes too late', async () => {
    const workshop = new Pretend(async (_, signal) => {
      if (!signal.aborted) await once(signal, 'abort');
      return result();
    });
    const { kernel, ledger, run } = await pretended(workshop);
    const handler = ({ role }: { role: string | null }) => (role === 'b' ? refuse('not b') : null);
    kernel.register({ name: 'guard', handlers: [{ hook: 'turn:dispatched', handler }] });
    const state = await run(templateOf({ build: [['a', 'b']] }));
    expect(state.status).toBe('held');
    expect((await story(ledger)).at(-1)).toBe('run:held');
    expect((await loadRun(ledger, 'run-1')).state?.status).toBe('held');
  });

  it.each([
    ['blocked-gate', 'before_gate', 'even a gate that opens by itself'],
    ['blocked-dispatch', 'after_dispatch', 'a turn, so that its agent is never called'],
  ])('%s: at %s it holds %s', async (name, phase) => {
    const stage = new Stage(name);
    await stage.install('guard', blocking(phase));
    const { service } = await stage.start();
    const state = await stage.run(service);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(state.status).toBe('held');
  });
});

describe('Work outside of what a role may write', () => {
  it('is noticed, taken back where that is possible, and told to the next attempt', async () => {
    const stage = new Stage('scope');
    const watcher = { event: 'run:completed', type: 'script', run: './hooks/watch.sh' };
    const manifest = { name: 'watcher', version: '1.0.0', description: 'x', hooks: [watcher] };
    await stage.install('watcher', {
      'agentxchain-plugin.json': JSON.stringify(manifest),
      'hooks/watch.sh': '#!/bin/sh\n',
    });
    stage.commit();
    const { service } = await stage.start();
    const state = await stage.run(service);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(state.status).toBe('completed');
    expect(git(stage.dir, 'ls-tree', '-r', '--name-only', `patchbay/${state.run_id}`)).not.toMatch(/README|sly/);
    expect(existsSync(stage.file('.git/hooks/post-checkout'))).toBe(false);
  });
});

describe('An agent that wants to replace the ledger', () => {
  it('cannot', async () => {
    const { stage, state, golden } = await played('ledger');
    await expect(golden).toMatchFileSnapshot(stage.golden);
    const { service } = await stage.start();
    expect(await service.ledger.run(state.run_id)).toMatchObject({ status: 'completed' });
  });
});

describe('A role', () => {
  it('can be played by a web address, and by a person', async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      request.resume();
      asked.push(request.headers['idempotency-key']);
      response.statusCode = asked.length === 1 ? 503 : 200;
      response.end('{"summary": "From far away"}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const remote = `remote: { core: http, with: { url: "http://127.0.0.1:${port}/" } }`;
    const files = { 'patchbay.yaml': `runs:\n  roles:\n    ${remote}\n    person: { core: manual }\n` };
    const stage = new Stage('cores', { files });
    const { service } = await stage.start();
    service.ledger.on('appended', ({ event: { payload } }) => {
      if (payload.event !== 'turn:dispatched' || payload.role !== 'person') return;
      writeFileSync(join(dirname(payload.bundle.path), 'result.json'), '{"summary": "By hand"}');
    });
    const { run_id } = await stage.run(service);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(asked).toEqual([`${run_id}/building.remote/1`, `${run_id}/building.remote/2`]);
  });
});

describe('An agent that hangs or floods', () => {
  it('is ended with all that it started before the next attempt begins, and what it prints is cut', async () => {
    const { stage, state, golden } = await played('hanging');
    await expect(golden).toMatchFileSnapshot(stage.golden);
    expect(state.status).toBe('completed');
    const log = stage.read(`.patchbay/runs/${state.run_id}/turns/building.developer-2/log.txt`) ?? '';
    expect(log).toContain('flood');
    expect(log.length).toBeLessThan(1_000_000);
  });
});

describe('A repository with changes that are not committed', () => {
  it('is refused with their names, and the run goes on when they are', async () => {
    const stage = new Stage('straight');
    stage.write('src/new.txt', 'new');
    const { service } = await stage.start();
    await expect(stage.run(service)).rejects.toMatchObject({
      code: 'WORKSPACE_DIRTY',
      message: expect.stringContaining('src/new.txt'),
    });
    stage.commit();
    const runs = [];
    for await (const { run_id, status } of service.ledger.runs()) runs.push({ run_id, status });
    expect(runs).toMatchObject([{ status: 'active' }]);
    const state = await stage.advance(service, runs[0]?.run_id ?? '');
    expect(state.status).toBe('waiting');
    await service.runs.abort(state.run_id, 'pat', 'enough');
    expect(git(stage.dir, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});
