import { setTimeout as sleep } from 'node:timers/promises';
import { type EventPayload, refuse } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { abortRun, castVote } from '../../src/runs/decisions.ts';
import { RunEngine } from '../../src/runs/engine.ts';
import { requestRun } from '../../src/runs/load.ts';
import { automatic, failing, human, Pretend, result, stage, story, templateOf } from './fixture.ts';

describe('A run', () => {
  it('goes straight through its phases, each with a gate', async () => {
    const { run, ledger } = await stage();
    const state = await run(templateOf({ plan: ['planner'], build: ['developer'] }));
    expect(state.status).toBe('completed');
    expect(await story(ledger)).toEqual([
      'run:started',
      'turn:dispatched plan.planner#1',
      'turn:submitted plan.planner#1',
      'turn:accepted plan.planner#1',
      'gate:pending',
      'gate:transition',
      'turn:dispatched build.developer#1',
      'turn:submitted build.developer#1',
      'turn:accepted build.developer#1',
      'gate:pending',
      'gate:completion',
      'run:completed',
    ]);
    expect(state.cost).toEqual({ input_tokens: 2, output_tokens: 2, usd: 0.02 });
    expect(await ledger.run('run-1')).toMatchObject({ status: 'completed', template: 'test', goal: 'Make it work' });
  });

  it('writes an accepted turn down with the next one that is dispatched: whoever stops it there finds both', async () => {
    const stopped = new AbortController();
    const { parts, ledger } = await stage();
    ledger.on('appended', ({ event }) => event.type === 'turn:accepted' && stopped.abort());
    const template = templateOf({ build: ['developer', 'tester'] });
    await requestRun(ledger, { run_id: 'run-1', template, goal: 'Make it work', by: 'ada' });
    await new RunEngine('run-1', parts).advance(stopped.signal);
    const told = await story(ledger);
    expect(told.slice(3, 5)).toEqual(['turn:accepted build.developer#1', 'turn:dispatched build.tester#1']);
  });

  it('writes an accepted turn down also if the next one cannot be prepared', async () => {
    const workshop = new Pretend();
    let isPossible = false;
    const prepare = workshop.prepare.bind(workshop);
    workshop.prepare = async (...[plan]: unknown[]) => {
      if (!isPossible && (plan as { turn_id: string }).turn_id === 'build.tester') throw new Error('no room');
      return prepare();
    };
    const { run, resume, ledger } = await stage(workshop);
    await expect(run(templateOf({ build: ['developer', 'tester'] }))).rejects.toThrow('no room');
    expect((await story(ledger)).at(-1)).toBe('turn:accepted build.developer#1');
    isPossible = true;
    expect(await resume()).toMatchObject({ status: 'completed' });
    expect(workshop.worked).toEqual(['build.developer#1', 'build.tester#1']);
  });

  it('goes on with a turn that was dispatched with another one accepted, wherever it was stopped', async () => {
    const stopped = new AbortController();
    const workshop = new Pretend(async (turn) => {
      if (turn.role === 'tester') stopped.abort();
      return result();
    });
    const { parts, resume, ledger } = await stage(workshop);
    const template = templateOf({ build: ['developer', 'tester', 'writer'] });
    await requestRun(ledger, { run_id: 'run-1', template, goal: 'Make it work', by: 'ada' });
    await new RunEngine('run-1', parts).advance(stopped.signal);
    expect(await resume()).toMatchObject({ status: 'completed' });
    expect([...new Set(workshop.worked)]).toEqual(['build.developer#1', 'build.tester#1', 'build.writer#1']);
    expect(new Set(await story(ledger)).size).toBe((await story(ledger)).length);
  });

  it('has a turn judged by reviewers, and tried again with what they said', async () => {
    const workshop = new Pretend((turn) => {
      if (turn.reviews === null) return result();
      const objections = [{ id: 'OBJ-1', severity: 'high', statement: 'a test is missing' }];
      return turn.reviews.attempt === 1
        ? result({ status: 'rejected', summary: 'not yet', objections })
        : result({ status: 'approved' });
    });
    const { run, ledger } = await stage(workshop);
    const state = await run(templateOf({ build: ['developer'] }, { reviewers: ['reviewer'] }));
    expect(state.status).toBe('completed');
    expect((await story(ledger)).slice(1, -3)).toEqual([
      'turn:dispatched build.developer#1',
      'turn:submitted build.developer#1',
      'turn:dispatched build.developer.1.reviewer#1',
      'turn:submitted build.developer.1.reviewer#1',
      'turn:accepted build.developer.1.reviewer#1',
      'turn:rejected build.developer#1',
      'turn:dispatched build.developer#2',
      'turn:submitted build.developer#2',
      'turn:dispatched build.developer.2.reviewer#1',
      'turn:submitted build.developer.2.reviewer#1',
      'turn:accepted build.developer.2.reviewer#1',
      'turn:accepted build.developer#2',
    ]);
    expect(workshop.kept).toEqual(['build.developer#2']);
    expect(state.turns.find(({ turn_id }) => turn_id === 'build.developer')?.feedback).toEqual([
      'not yet',
      'OBJ-1: a test is missing',
    ]);
  });

  it('tries a failed turn again, and is held when that was done often enough', async () => {
    const workshop = new Pretend(() => failing('no result'));
    const { run, ledger } = await stage(workshop);
    const state = await run(templateOf({ build: ['developer'] }, { limits: { attempts: 2 } }));
    expect(state).toMatchObject({
      status: 'held',
      reason: 'turn build.developer (developer) was tried 2 times: no result',
    });
    expect(workshop.worked).toEqual(['build.developer#1', 'build.developer#2']);
    expect((await story(ledger)).at(-1)).toBe('run:held');
  });

  it('works on the turns of a parallel group at the same time, and goes on when all are accepted', async () => {
    let together = 0;
    const all = Promise.withResolvers<void>();
    const workshop = new Pretend(async (turn) => {
      if (turn.phase === 'build' && ++together === 3) all.resolve();
      if (turn.phase === 'build') await all.promise;
      return result();
    });
    const { run } = await stage(workshop);
    const state = await run(templateOf({ build: [['a', 'b', 'c']], ship: ['d'] }));
    expect(state.status).toBe('completed');
    expect(workshop.worked.slice(0, 3).toSorted()).toEqual(['build.a#1', 'build.b#1', 'build.c#1']);
    expect(workshop.worked[3]).toBe('ship.d#1');
  });

  it('does not work on more turns at once than it may', async () => {
    let now = 0;
    let most = 0;
    const two = Promise.withResolvers<void>();
    const workshop = new Pretend(async () => {
      most = Math.max(most, ++now);
      if (now === 2) two.resolve();
      await two.promise;
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return result();
    });
    const { run } = await stage(workshop);
    await run(templateOf({ build: [['a', 'b', 'c', 'd']] }, { limits: { parallel: 2 } }));
    expect(most).toBe(2);
  });

  it('is held when its budget is used up', async () => {
    const workshop = new Pretend(() => result({ cost: { input_tokens: 10, output_tokens: 10, usd: 3 } }));
    const { run } = await stage(workshop);
    const state = await run(templateOf({ a: ['x'], b: ['y'] }, { limits: { usd: 2 } }));
    expect(state).toMatchObject({ status: 'held', reason: 'the budget of 2 USD is used up (3)' });
    expect(workshop.worked).toEqual(['a.x#1']);
  });

  it('records a decision that is taken twice once, and keeps objections', async () => {
    const decisions = [{ id: 'DEC-1', category: 'design', statement: 'Count from one', rationale: 'people do' }];
    const { run } = await stage(
      new Pretend(() => result({ decisions, objections: [{ id: 'OBJ-1', severity: 'low', statement: 'slow' }] })),
    );
    const state = await run(templateOf({ a: ['x', 'y'] }));
    expect(state.decisions).toEqual(decisions);
    expect(state.objections.map(({ by }) => by)).toEqual(['x, a.x', 'y, a.y']);
  });

  it('records an advisory, and goes on', async () => {
    const workshop = new Pretend((turn) =>
      result(turn.reviews === null ? {} : { status: 'advisory', summary: 'no timeout' }),
    );
    const { run, ledger } = await stage(workshop);
    const state = await run(templateOf({ a: ['x'] }, { reviewers: ['sentinel'] }));
    expect(state).toMatchObject({ status: 'completed', advisories: ['no timeout'] });
    expect(await story(ledger)).toContain('advisory:recorded a.x.1.sentinel#1');
  });
});

describe('A plugin that rewrites a dispatch', () => {
  it('decides what the core is given', async () => {
    const goals: unknown[] = [];
    const workshop = new Pretend((turn) => {
      goals.push(turn.dispatch.goal);
      return result();
    });
    const { run, kernel } = await stage(workshop);
    const handler = (payload: EventPayload<'turn:dispatched'>) => ({ ...payload, goal: `${payload.goal}, carefully` });
    kernel.register({ name: 'careful', handlers: [{ hook: 'turn:dispatched', handler }] });
    await run(templateOf({ a: ['x'] }));
    expect(goals).toEqual(['Make it work, carefully']);
  });
});

describe('Those who may refuse cannot be got round:', () => {
  it.each([
    ['run:started', ['run:started', 'run:held'], []],
    ['turn:dispatched', ['run:started', 'turn:dispatched a.x#1', 'run:held'], []],
    [
      'gate:pending',
      [
        'run:started',
        'turn:dispatched a.x#1',
        'turn:submitted a.x#1',
        'turn:accepted a.x#1',
        'gate:pending',
        'run:held',
      ],
      ['a.x#1'],
    ],
  ] as const)('a refusal of %s holds the run, however its gate would open', async (hook, steps, worked) => {
    for (const gate of [automatic('a'), human('a')]) {
      const workshop = new Pretend();
      const { run, kernel, ledger } = await stage(workshop);
      kernel.register({ name: 'guard', handlers: [{ hook, handler: () => refuse('not on Fridays') }] });
      const state = await run(templateOf({ a: ['x'] }, { gates: { a: gate } }));
      expect(state).toMatchObject({ status: 'held', reason: expect.stringContaining('not on Fridays') });
      expect(await story(ledger)).toEqual(steps);
      expect(workshop.worked).toEqual(worked);
    }
  });

  it('a guard that had not answered when the host died is asked again before anything goes on', async () => {
    for (const hook of ['run:started', 'turn:dispatched', 'gate:pending'] as const) {
      const first = await stage();
      const asked = Promise.withResolvers<void>();
      first.kernel.register({
        name: 'guard',
        handlers: [
          {
            hook,
            handler: () => {
              asked.resolve();
              return new Promise(() => {});
            },
          },
        ],
      });
      void first.run(templateOf({ a: ['x'] })).catch(() => {});
      await asked.promise;
      const workshop = new Pretend();
      const second = await stage(workshop, first.file);
      second.kernel.register({ name: 'guard', handlers: [{ hook, handler: () => refuse('no') }] });
      const state = await second.resume();
      expect([hook, state.status, state.reason]).toEqual([hook, 'held', expect.stringContaining('refused: no')]);
      if (hook === 'turn:dispatched') expect(workshop.worked).toEqual([]);
    }
  });
});

describe('A gate for people', () => {
  it('has the run wait, across hosts, until enough have approved', async () => {
    const { run, ledger, emitter, file } = await stage();
    const gates = { a: human('a', { quorum: 2 }) };
    expect((await run(templateOf({ a: ['x'] }, { gates }))).status).toBe('waiting');
    await castVote({ ledger, emitter }, 'run-1', { by: 'bob', decision: 'approved', comment: null });
    const second = await stage(new Pretend(), file);
    expect((await second.resume()).status).toBe('waiting');
    await castVote({ ledger, emitter }, 'run-1', { by: 'cy', decision: 'approved', comment: 'good' });
    const state = await second.resume();
    expect(state.status).toBe('completed');
    expect((await story(ledger)).slice(-6)).toEqual([
      'gate:pending',
      'approval:requested',
      'approval:decided',
      'approval:decided',
      'gate:completion',
      'run:completed',
    ]);
  });

  it('counts all who approve at the same moment', async () => {
    const { run, ledger, emitter, resume } = await stage();
    await run(templateOf({ a: ['x'] }, { gates: { a: human('a', { quorum: 3 }) } }));
    const vote = (by: string) => castVote({ ledger, emitter }, 'run-1', { by, decision: 'approved', comment: null });
    await Promise.all(['bob', 'cy', 'di'].map(vote));
    expect((await resume()).status).toBe('completed');
  });

  it('holds the run if somebody refuses, with the reason', async () => {
    const { run, ledger, emitter, resume } = await stage();
    await run(templateOf({ a: ['x'] }, { gates: { a: human('a') } }));
    await castVote({ ledger, emitter }, 'run-1', { by: 'bob', decision: 'refused', comment: 'too early' });
    expect(await resume()).toMatchObject({ status: 'held', reason: 'bob refused gate "a": too early' });
  });

  it('takes effect exactly once, however many approve at the same moment', async () => {
    const { run, ledger, emitter, resume } = await stage();
    await run(templateOf({ a: ['x'] }, { gates: { a: human('a') } }));
    const votes = ['bob', 'cy', 'di'].map((by) =>
      castVote({ ledger, emitter }, 'run-1', { by, decision: 'approved', comment: null }),
    );
    const outcomes = await Promise.allSettled(votes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await resume();
    expect((await story(ledger)).filter((one) => one === 'gate:completion')).toHaveLength(1);
  });

  it.each([
    ['of somebody who is not among those who may', { approvers: ['ada'] }, 'bob', /may not/],
    ['of whoever started the run, where that is not enough', { proposerMayApprove: false }, 'ada', /started/],
  ])('does not take the approval %s', async (_, more, by, message) => {
    const { run, ledger, emitter } = await stage();
    await run(templateOf({ a: ['x'] }, { gates: { a: human('a', more) } }));
    const vote = castVote({ ledger, emitter }, 'run-1', { by, decision: 'approved', comment: null });
    await expect(vote).rejects.toMatchObject({ code: 'APPROVAL_INVALID', message: expect.stringMatching(message) });
  });

  it('expires', async () => {
    const { run, parts, resume } = await stage();
    await run(templateOf({ a: ['x'] }, { gates: { a: human('a', { expiresMs: 1000 }) } }));
    Object.assign(parts, { now: () => new Date(Date.now() + 5000) });
    expect(await resume()).toMatchObject({
      status: 'held',
      reason: expect.stringMatching(/nobody approved gate "a" until/),
    });
  });

  it('takes no approval for a run that has ended', async () => {
    const { run, ledger, emitter } = await stage();
    await run(templateOf({ a: ['x'] }));
    const vote = castVote({ ledger, emitter }, 'run-1', { by: 'bob', decision: 'approved', comment: null });
    await expect(vote).rejects.toMatchObject({
      code: 'APPROVAL_INVALID',
      message: expect.stringContaining('completed'),
    });
  });
});

describe('A run that is aborted', () => {
  it('has the turn under way stopped, and nothing of it recorded', async () => {
    const working = Promise.withResolvers<void>();
    const workshop = new Pretend(async (_, signal) => {
      working.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return failing('stopped');
    });
    const { run, ledger, emitter, file } = await stage(workshop);
    const running = run(templateOf({ a: ['x'] }));
    await working.promise;
    // As the command does, from another process.
    const other = await stage(workshop, file);
    await abortRun({ ledger: other.ledger, emitter: other.emitter }, 'run-1', { by: 'ada', reason: 'not needed' });
    expect((await running).status).toBe('aborted');
    expect((await story(ledger)).at(-1)).toBe('run:aborted');
    await expect(abortRun({ ledger, emitter }, 'run-1', { by: 'ada', reason: 'again' })).rejects.toMatchObject({
      code: 'RUN_TRANSITION',
    });
  });
});

describe('A run that another host has taken over', () => {
  /** A host in the middle of the first turn of a run, and what lets it finish that. */
  async function inTurn() {
    const [working, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const workshop = new Pretend(async () => {
      working.resolve();
      await done.promise;
      return result();
    });
    const host = await stage(workshop);
    const run_id = 'run-1';
    const template = templateOf({ a: ['x', 'y'] }, { gates: { a: human('a') } });
    await requestRun(host.ledger, { run_id, template, goal: 'Make it work', by: 'ada' });
    const lost = new AbortController();
    const running = new RunEngine(run_id, host.parts).advance(lost.signal, lost.signal);
    await working.promise;
    return { ...host, running, lost, finish: () => done.resolve() };
  }

  it('gets no step a second time from the one that had it', async () => {
    const { running, finish, ledger, file } = await inTurn();
    const heard = new Promise<void>((resolve) => ledger.on('elsewhere', () => resolve()));
    const other = await stage(new Pretend(), file);
    expect((await other.resume()).status).toBe('waiting');
    await heard;
    // So that it has looked: a step that was decided on before that is the one that must not be made.
    await sleep(200);
    finish();
    expect((await running).status).toBe('waiting');
    const steps = await story(ledger);
    expect(steps).toHaveLength(new Set(steps).size);
  });

  it('gets nothing more from the one that has heard so, though its turn is done', async () => {
    const { running, finish, lost, ledger } = await inTurn();
    lost.abort();
    finish();
    await running;
    expect(await story(ledger)).toEqual(['run:started', 'turn:dispatched a.x#1']);
  });
});
