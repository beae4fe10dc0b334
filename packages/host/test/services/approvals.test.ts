import { describe, expect, it } from 'vitest';
import { openBeside } from '../../../../test/store.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { decideCall, pendingCalls } from '../../src/services/index.ts';
import { Stage, toolPlugin } from './fixture.ts';

const approved = { decision: 'approved', by: 'ann', comment: null } as const;
const refused = { decision: 'refused', by: 'ann', comment: 'not now' } as const;

/** A stage with a tool that counts its calls, each after a person has approved it. */
async function open(settings: object = {}) {
  const requests: string[] = [];
  const pay = ({ request_id }: { request_id: string }) => ({ result: requests.push(request_id) });
  const plugins = [toolPlugin('bank', { pay })];
  const stage = await Stage.open({ plugins, settings: { tier: 'human-approval', ...settings } });
  return { stage, requests };
}

/** A call whose caller goes away, as when the host ends. */
async function leave(stage: Stage, input: object = {}) {
  const over = new AbortController();
  const called = stage.turn({ signal: over.signal }).call('pay', { ...input });
  const pending = await stage.waiting();
  over.abort(new Error('the host is stopped'));
  expect(await called).toEqual({ error: 'the host is stopped' });
  return pending;
}

describe('a call that waits', () => {
  it('is told as approval:requested, bound to its request, attempt and workspace, and is no step of its run', async () => {
    const { stage } = await open();
    const called = stage.turn().call('pay', { to: 'bob', eur: 5 });
    const { approval_id, request_id } = await stage.waiting();
    const [event] = await stage.events('approval:requested');
    expect(event).toMatchObject({ id: approval_id, run_id: null, turn_id: null });
    expect(event?.payload).toMatchObject({
      kind: 'tool',
      waiting_for: 'human-approval',
      summary: 'call of tool "pay" in workspace home',
      call: {
        tool: 'pay',
        key: 'run/turn/1',
        workspace: 'home',
        chat_jid: 'terminal:home',
        request_id,
        input: { to: 'bob', eur: 5 },
        input_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    await stage.services.decide(approval_id, approved);
    expect(await called).toEqual({ result: 1 });
    const [decided] = await stage.events('approval:decided');
    expect(decided?.payload).toMatchObject({
      decision: 'approved',
      approver: 'ann',
      call: { request_id },
      run_id: null,
    });
  });

  it('can be decided on once', async () => {
    const { stage } = await open();
    const called = stage.turn().call('pay', {});
    const { approval_id } = await stage.waiting();
    const both = await Promise.allSettled([
      stage.services.decide(approval_id, refused),
      stage.services.decide(approval_id, approved),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await called;
    await expect(stage.services.decide(approval_id, approved)).rejects.toMatchObject({
      code: 'APPROVAL_INVALID',
      message: `${approval_id} is decided on already`,
    });
    await expect(stage.services.decide('tool-0', approved)).rejects.toThrow('no call of a tool waits as tool-0');
  });

  it('can be decided on from another process', async () => {
    const { stage, requests } = await open();
    const called = stage.turn().call('pay', {});
    await stage.waiting();
    const other = await openBeside(stage.dir);
    const [pending] = await pendingCalls(other, Date.now());
    await decideCall(stage.host.kernel, other, pending?.approval_id ?? '', approved);
    expect(await called).toEqual({ result: 1 });
    expect(requests).toEqual([pending?.request_id]);
    await other.close();
  });

  it('is refused when nobody decides in time, and cannot be decided on after that', async () => {
    const { stage, requests } = await open({ approvalMs: 100 });
    expect(await stage.turn().call('pay', {})).toEqual({
      error: 'tool "pay" was not called: patchbay refused it: nobody decided in time',
    });
    const [event] = await stage.events('approval:requested');
    await expect(stage.services.decide(event?.id ?? '', approved)).rejects.toMatchObject({ code: 'APPROVAL_INVALID' });
    expect([requests, await stage.services.pending()]).toEqual([[], []]);
  });

  it('is withdrawn when its turn is over', async () => {
    const { stage } = await open();
    const { approval_id } = await leave(stage);
    expect(await stage.services.pending()).toHaveLength(1);
    const error = { code: 'X', message: 'x' };
    const failed = {
      run_id: 'run',
      turn_id: 'turn',
      attempt: 1,
      error,
      exit_code: null,
      signal: null,
      timed_out: true,
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.ledger.on('appended', ({ event }) => event.type === 'approval:decided' && resolve());
    await stage.ledger.append(newEvent('turn:failed', failed));
    await promise;
    expect(await stage.services.pending()).toEqual([]);
    await expect(stage.services.decide(approval_id, approved)).rejects.toThrow('decided on already');
  });

  it('keeps others of its turn from waiting, beyond what a person can look through', async () => {
    const { stage } = await open();
    const turn = stage.turn();
    const calls = Array.from({ length: 25 }, (_, n) => turn.call('pay', { n }));
    const first = await Promise.race(calls);
    expect(first).toEqual({ error: '20 calls of this turn wait for a person to decide already' });
    await turn.close();
    expect(await stage.services.pending()).toHaveLength(20);
  });
});

describe('an approval', () => {
  it('can be given as often as it is asked for, from wherever', async () => {
    const { stage, requests } = await open();
    const turn = stage.turn();
    for (let n = 0; n < 22; n++) {
      const called = turn.call('pay', { n });
      const { approval_id } = await stage.waiting();
      await decideCall(stage.host.kernel, stage.ledger, approval_id, approved);
      expect(await called).toEqual({ result: n + 1 });
    }
    expect(requests).toHaveLength(22);
  });

  it('is good for one call: the same call asks again', async () => {
    const { stage, requests } = await open();
    const turn = stage.turn();
    for (const count of [1, 2]) {
      const called = turn.call('pay', { to: 'bob' });
      const { approval_id } = await stage.waiting();
      await stage.services.decide(approval_id, approved);
      expect(await called).toEqual({ result: count });
    }
    expect(new Set(requests).size).toBe(2);
    expect(await stage.events('approval:requested')).toHaveLength(2);
  });

  it('is good for one of two same calls that wait at once', async () => {
    const { stage } = await open();
    const turn = stage.turn();
    const calls = [turn.call('pay', {}), turn.call('pay', {})];
    const first = await stage.waiting();
    await stage.services.decide(first.approval_id, approved);
    expect(await Promise.race(calls)).toEqual({ result: 1 });
    const second = await stage.waiting();
    expect(second.approval_id).not.toBe(first.approval_id);
    await stage.services.decide(second.approval_id, refused);
    expect(await Promise.all(calls)).toContainEqual({ error: 'tool "pay" was not called: ann refused it: not now' });
  });

  it.each([
    ['another input', { input: { to: 'eve' } }],
    ['another attempt', { user: { key: 'run/turn/2' } }],
    ['another run', { user: { key: 'run2/turn/1', run_id: 'run2' } }],
  ])('is not good for %s', async (_, { input = { to: 'bob' }, user = {} }: { input?: object; user?: object }) => {
    const { stage, requests } = await open();
    const { approval_id } = await leave(stage, { to: 'bob' });
    await stage.services.decide(approval_id, approved);
    const turn = stage.turn(user);
    void turn.call('pay', { ...input });
    expect((await stage.waiting()).approval_id).not.toBe(approval_id);
    await turn.close();
    expect(requests).toEqual([]);
  });
});

describe('after a restart', () => {
  it('the same attempt finds what it had asked, still undecided', async () => {
    const { stage, requests } = await open();
    const before = await leave(stage);
    await stage.end();
    await stage.begin();
    expect(await stage.services.pending()).toEqual([before]);
    const called = stage.turn().call('pay', {});
    await stage.services.decide(before.approval_id, approved);
    expect(await called).toEqual({ result: 1 });
    expect(requests).toEqual([before.request_id]);
    expect(await stage.events('approval:requested')).toHaveLength(1);
  });

  it('the same attempt finds what was decided meanwhile, and uses it up', async () => {
    const { stage, requests } = await open();
    const { approval_id, request_id } = await leave(stage);
    await stage.services.decide(approval_id, approved);
    await stage.end();
    await stage.begin();
    expect(await stage.turn().call('pay', {})).toEqual({ result: 1 });
    expect(requests).toEqual([request_id]);
    await stage.end();
    await stage.begin();
    const turn = stage.turn();
    void turn.call('pay', {});
    expect((await stage.waiting()).approval_id).not.toBe(approval_id);
    await turn.close();
  });

  it('a refusal is heeded too, once', async () => {
    const { stage } = await open();
    const { approval_id } = await leave(stage);
    await stage.services.decide(approval_id, refused);
    await stage.end();
    await stage.begin();
    const turn = stage.turn();
    expect(await turn.call('pay', {})).toEqual({ error: 'tool "pay" was not called: ann refused it: not now' });
    void turn.call('pay', {});
    expect((await stage.waiting()).approval_id).not.toBe(approval_id);
    await turn.close();
  });

  it('what has expired is asked anew, even if it had been approved', async () => {
    let past = 0;
    const requests: unknown[] = [];
    const stage = await Stage.open({
      plugins: [toolPlugin('bank', { pay: () => ({ result: requests.push(1) }) })],
      settings: { tier: 'human-approval' },
      parts: { now: () => Date.now() + past },
    });
    const { approval_id } = await leave(stage);
    await stage.services.decide(approval_id, approved);
    await stage.end();
    past = 61_000;
    await stage.begin();
    const turn = stage.turn();
    void turn.call('pay', {});
    expect((await stage.waiting()).approval_id).not.toBe(approval_id);
    expect(requests).toEqual([]);
    await turn.close();
  });

  it('what was asked in a run that is over is withdrawn', async () => {
    const { stage } = await open();
    await stage.ledger.requestRun({ run_id: 'run', template: 'chat', goal: 'g' });
    await leave(stage);
    const { ledger } = stage;
    await stage.services.close();
    const summary = {
      turns: 0,
      phases: [],
      decisions: 0,
      objections: 0,
      verification: { status: 'skipped' as const, commands: [], machine_evidence: [] },
      cost: { input_tokens: 0, output_tokens: 0, usd: 0 },
    };
    await ledger.append(
      newEvent('run:aborted', { run_id: 'run', run_summary: summary, decisions: [], objections: [] }),
    );
    await stage.end();
    await stage.begin();
    expect(await stage.services.pending()).toEqual([]);
  });
});
