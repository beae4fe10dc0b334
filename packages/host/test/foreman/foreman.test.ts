import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../../test/store.ts';
import { requestRun } from '../../src/runs/load.ts';
import type { Trouble } from '../../src/runs/trouble.ts';
import { human, Pretend, story, templateOf } from '../runs/fixture.ts';
import { becomes, Held, site, soon } from './fixture.ts';

const simple = templateOf({ building: ['developer'] });
const gated = templateOf({ building: ['developer'] }, { gates: { building: human('building') } });

describe('A foreman carries on', () => {
  it('runs that were asked for before it came', async () => {
    const { ask, hire, ledger } = await site();
    await ask('run-1', simple);
    hire();
    await becomes(ledger, 'run-1', 'completed');
  });

  it('runs that are asked for while it is there', async () => {
    const { ask, hire, ledger } = await site();
    hire();
    await ask('run-1', simple);
    await becomes(ledger, 'run-1', 'completed');
  });

  it('runs that answer messages only when they wait for somebody: until then they are somebody else’s', async () => {
    const { ask, hire, ledger, runs, approve } = await site();
    await ask('chat-1', gated);
    hire();
    await ask('chat-2', simple);
    await ask('run-1', simple);
    await becomes(ledger, 'run-1', 'completed');
    expect(await ledger.run('chat-1')).toMatchObject({ status: 'pending' });
    expect(await ledger.run('chat-2')).toMatchObject({ status: 'pending' });
    await runs.advance('chat-1');
    await approve('chat-1');
    await becomes(ledger, 'chat-1', 'completed');
  });

  it('runs that another process asks for', async () => {
    const { hire, ledger, file } = await site();
    hire();
    const other = await openStore(file);
    onTestFinished(() => other.close());
    await requestRun(other, { run_id: 'run-1', template: simple, goal: 'Make it work', by: 'ada' });
    await becomes(ledger, 'run-1', 'completed');
  });

  it('runs that a host before it left in the middle', async () => {
    const workshop = new Held();
    const { ask, hire, ledger } = await site(workshop);
    await ask('run-1', simple);
    const first = hire();
    await soon(() => expect(workshop.underWay).toEqual(['run-1']));
    await first.close();
    expect(await ledger.run('run-1')).toMatchObject({ status: 'active' });
    hire();
    await soon(() => expect(workshop.underWay).toEqual(['run-1']));
    workshop.end('run-1');
    await becomes(ledger, 'run-1', 'completed');
    expect(workshop.worked).toEqual(['building.developer#1', 'building.developer#1']);
  });

  it('runs on which somebody has decided, here or in another process', async () => {
    const { ask, approve, hire, ledger, file } = await site();
    const foreman = hire();
    await ask('run-1', gated);
    await ask('run-2', gated);
    await becomes(ledger, 'run-1', 'waiting');
    await becomes(ledger, 'run-2', 'waiting');
    await soon(() => expect(foreman.busy).toEqual([]));
    await approve('run-1');
    await becomes(ledger, 'run-1', 'completed');
    const elsewhere = await site(new Pretend(), file);
    await elsewhere.approve('run-2');
    await becomes(ledger, 'run-2', 'completed');
  });

  it('a run whose gate nobody approved in time: it is held', async () => {
    const { ask, hire, ledger } = await site();
    hire();
    const gates = { building: human('building', { expiresMs: 300 }) };
    await ask('run-1', templateOf({ building: ['developer'] }, { gates }));
    await becomes(ledger, 'run-1', 'waiting');
    await becomes(ledger, 'run-1', 'held');
  });

  it('a run with one of two approvals no further', async () => {
    const { ask, approve, hire, ledger } = await site();
    const foreman = hire();
    await ask(
      'run-1',
      templateOf({ building: ['developer'] }, { gates: { building: human('building', { quorum: 2 }) } }),
    );
    await becomes(ledger, 'run-1', 'waiting');
    await approve('run-1', 'bob');
    await soon(() => expect(foreman.busy).toEqual([]));
    expect(await ledger.run('run-1')).toMatchObject({ status: 'waiting' });
    await approve('run-1', 'cy');
    await becomes(ledger, 'run-1', 'completed');
  });
});

describe('A foreman has', () => {
  it('so many runs go on at once and no more, the oldest first', async () => {
    const workshop = new Held();
    const { ask, hire, ledger } = await site(workshop);
    const ids = ['run-1', 'run-2', 'run-3', 'run-4', 'run-5'];
    for (const id of ids) await ask(id, simple);
    hire({ atOnce: 2 });
    for (const [i, id] of ids.entries()) {
      await soon(() => expect([...workshop.underWay].sort()).toEqual(ids.slice(i, i + 2)));
      workshop.end(id);
      await becomes(ledger, id, 'completed');
    }
    expect(workshop.most).toBe(2);
  });

  it('each run carried on once, however often it is told of it', async () => {
    const workshop = new Held();
    const { ask, hire, ledger, file } = await site(workshop);
    const foreman = hire();
    await ask('run-1', simple);
    const other = await openStore(file);
    onTestFinished(() => other.close());
    for (let i = 2; i < 20; i++) {
      foreman.look();
      await requestRun(other, { run_id: `run-${i}`, template: gated, goal: 'x', by: 'ada' });
    }
    await soon(() => expect(workshop.underWay).toContain('run-1'));
    workshop.end('run-1');
    await becomes(ledger, 'run-1', 'completed');
    expect(await story(ledger)).toEqual([...new Set(await story(ledger))]);
  });

  it('a working run stopped that somebody aborts', async () => {
    const workshop = new Held();
    const { ask, hire, ledger, runs } = await site(workshop);
    const foreman = hire();
    await ask('run-1', simple);
    await soon(() => expect(workshop.underWay).toEqual(['run-1']));
    await runs.abort('run-1', 'bob', 'not needed');
    await soon(() => expect(workshop.underWay).toEqual([]));
    await soon(() => expect(foreman.busy).toEqual([]));
    expect(await ledger.run('run-1')).toMatchObject({ status: 'aborted' });
  });
});

describe('A run that the host cannot carry on', () => {
  class Broken extends Pretend {
    broken = true;
    override async prepare() {
      if (this.broken) throw new Error('no space left');
      return super.prepare();
    }
  }

  it('is tried again, more and more rarely, and told until it goes on', async () => {
    const workshop = new Broken();
    const { ask, hire, ledger } = await site(workshop);
    const heard: (readonly Trouble[])[] = [];
    const waits: number[] = [];
    const backoffMs = (attempts: number) => {
      waits.push(attempts);
      return 20;
    };
    const foreman = hire({ backoffMs, troubled: (troubles) => void heard.push(troubles) });
    await ask('run-1', simple);
    await soon(() => expect(waits.length).toBeGreaterThan(2));
    expect(waits.slice(0, 3)).toEqual([1, 2, 3]);
    expect(foreman.troubles).toMatchObject([{ run_id: 'run-1', code: 'INTERNAL', message: 'no space left' }]);
    workshop.broken = false;
    await becomes(ledger, 'run-1', 'completed');
    await soon(() => expect(foreman.troubles).toEqual([]));
    expect(heard.at(-1)).toEqual([]);
  });

  it('is tried again at once if somebody wants it, and keeps no other one waiting', async () => {
    const workshop = new Broken();
    const { ask, hire, ledger } = await site(workshop);
    const foreman = hire({ backoffMs: () => 3_600_000 });
    await ask('run-1', simple);
    await soon(() => expect(foreman.troubles).toHaveLength(1));
    workshop.broken = false;
    await ask('run-2', simple);
    await becomes(ledger, 'run-2', 'completed');
    expect(await ledger.run('run-1')).toMatchObject({ status: 'active' });
    foreman.retry('run-1');
    await becomes(ledger, 'run-1', 'completed');
  });

  it('is not looked at again and again while it is tried again', async () => {
    const workshop = new Held();
    const { ask, hire, ledger } = await site(workshop);
    const prepare = vi.spyOn(workshop, 'prepare').mockRejectedValueOnce(new Error('no space left'));
    const foreman = hire({ backoffMs: () => 20 });
    await ask('run-1', simple);
    await soon(() => expect(workshop.underWay).toEqual(['run-1']));
    expect([prepare.mock.calls.length, foreman.troubles.length]).toEqual([2, 1]);
    const looks = vi.spyOn(ledger, 'runs');
    await sleep(200);
    expect(looks.mock.calls.length).toBeLessThan(3);
  });

  it('is forgotten when it is aborted', async () => {
    const { ask, hire, runs } = await site(new Broken());
    const foreman = hire({ backoffMs: () => 50 });
    await ask('run-1', simple);
    await soon(() => expect(foreman.troubles).toHaveLength(1));
    await runs.abort('run-1', 'bob', 'not needed');
    await soon(() => expect(foreman.troubles).toEqual([]));
  });
});
