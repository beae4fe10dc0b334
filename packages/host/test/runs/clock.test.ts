import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Stage } from '../../../../test/flows/stage.ts';
import type { LedgerStore } from '../../src/ledger/index.ts';
import { castVote } from '../../src/runs/decisions.ts';
import { loadRun } from '../../src/runs/load.ts';
import { human, Pretend, result, stage, story, templateOf } from './fixture.ts';

const noon = Date.parse('2026-05-01T12:00:00.000Z');
const hour = 3_600_000;
const approved = { by: 'bob', decision: 'approved', comment: null } as const;

async function timesOf(ledger: LedgerStore, run_id: string): Promise<string[]> {
  const times: string[] = [];
  for await (const { at } of ledger.events({ run: run_id })) times.push(at);
  return times;
}

describe('A clock that is put back during a run', () => {
  it('breaks neither the order of its steps, nor its times, nor what plugins are told', async () => {
    // Only the clock: everything else takes the time it takes.
    vi.useFakeTimers({ toFake: ['Date'], now: noon });
    onTestFinished(() => void vi.useRealTimers());
    const stage = new Stage('straight');
    const heard = ['turn:accepted', 'gate:transition', 'run:completed'].map((event) => {
      return { event, type: 'script', run: './hooks/a.sh' };
    });
    const manifest = { name: 'witness', version: '1.0.0', description: 'x', hooks: heard };
    const hook = `#!/bin/sh\necho "$AGENTXCHAIN_EVENT" >> '${stage.dir}/sources/heard'\n`;
    await stage.install('witness', { 'agentxchain-plugin.json': JSON.stringify(manifest), 'hooks/a.sh': hook });
    stage.commit();
    const { service } = await stage.start();
    service.ledger.on('appended', ({ event }) => {
      if (event.type === 'turn:dispatched') vi.setSystemTime(Date.now() - hour);
    });
    const { run_id } = await stage.run(service);
    vi.setSystemTime(noon - 5 * hour);
    await service.runs.vote(run_id, { ...approved, by: 'ann', comment: 'go on' });
    const state = await stage.advance(service, run_id);

    expect(state.status).toBe('completed');
    const times = await timesOf(service.ledger, run_id);
    expect(times).toEqual(times.toSorted());
    expect((await loadRun(service.ledger, run_id)).state).toEqual(state);
    for (const { started_at, ended_at } of state.phases) expect(started_at <= (ended_at ?? '')).toBe(true);
    expect(await service.ledger.verify()).toMatchObject({ ok: true });
    expect(stage.read('sources/heard')?.split('\n')).toEqual([
      'turn:accepted',
      'gate:transition',
      'turn:accepted',
      'run:completed',
      '',
    ]);
    const [row] = await Array.fromAsync(service.ledger.runs());
    expect(row?.status).toBe('completed');
  });

  it('does not let an approval expire before its time, nor never', async () => {
    let clock = noon;
    const { run, parts, ledger, emitter, resume } = await stage();
    Object.assign(parts, { now: () => new Date(clock) });
    const now = parts as unknown as { now: () => Date };
    await run(templateOf({ a: ['x'] }, { gates: { a: human('a', { expiresMs: hour, quorum: 2 }) } }));
    clock = noon - 24 * hour;
    expect((await resume()).status).toBe('waiting');
    await castVote({ ledger, emitter, ...now }, 'run-1', approved);
    expect((await resume()).status).toBe('waiting');
    clock = noon + 2 * hour;
    await expect(castVote({ ledger, emitter, ...now }, 'run-1', { ...approved, by: 'cy' })).rejects.toMatchObject({
      code: 'APPROVAL_INVALID',
      message: expect.stringContaining('could be decided on until 2026-05-01T13:00:00.000Z'),
    });
    expect(await resume()).toMatchObject({
      status: 'held',
      reason: expect.stringContaining('nobody approved gate "a"'),
    });
  });

  it('does not make a run last longer than it may, nor less', async () => {
    let clock = noon;
    const workshop = new Pretend(({ turn_id }) => {
      clock += { 'a.x': -24 * hour, 'a.y': 24 * hour + 60_000, 'a.z': hour }[turn_id] ?? 0;
      return result();
    });
    const { run, parts, ledger } = await stage(workshop);
    Object.assign(parts, { now: () => new Date(clock) });
    const state = await run(templateOf({ a: ['x', 'y', 'z'], b: ['x'] }, { limits: { runTimeoutMs: hour } }));
    expect(state).toMatchObject({ status: 'held', reason: 'the run has taken longer than it may' });
    expect(workshop.worked).toEqual(['a.x#1', 'a.y#1', 'a.z#1']);
    expect((await story(ledger)).at(-1)).toBe('run:held');
  });
});
