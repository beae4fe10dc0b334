import { describe, expect, it } from 'vitest';
import { Stage } from '../../../../test/flows/stage.ts';
import { addApprover } from '../../src/runs/add-approver.ts';
import { Serving } from './fixture.ts';

describe('A run over the API', () => {
  it('is asked for, waits at its gate, is approved by somebody, and completes', async () => {
    const serving = await Serving.start('straight');
    const run_id = await serving.begin();
    expect(await serving.becomes(run_id, 'waiting')).toMatchObject({ template: 'flow', gates: [{ name: 'plan' }] });
    const { body: gates } = await serving.get('/gates');
    expect(gates).toMatchObject({
      items: [{ run_id, gate: 'plan', goal: 'Make it work', started_by: 'pat', quorum: 1, votes: [] }],
      next: null,
    });
    const approved = await serving.post(`/runs/${run_id}/approve`, { by: 'ann', comment: 'Looks right' });
    expect(approved.status).toBe(200);
    await serving.becomes(run_id, 'completed');
    const { body: decided } = await serving.get(`/events?run=${run_id}&type=approval:decided`);
    expect(decided.items).toMatchObject([{ payload: { approver: 'ann', comment: 'Looks right' } }]);
    expect((await serving.get('/gates')).body.items).toEqual([]);
    expect(serving.stage.result({ run_id }, 'PLAN.md')).toBe('Goal: Make it work');
  });

  it('is refused by somebody, held, and begun anew as another one', async () => {
    const serving = await Serving.start('refused');
    const run_id = await serving.begin();
    await serving.becomes(run_id, 'waiting');
    await serving.post(`/runs/${run_id}/refuse`, { by: 'bob', reason: 'Too vague' });
    expect(await serving.becomes(run_id, 'held')).toMatchObject({ reason: 'bob refused gate "plan": Too vague' });
    const { status, body } = await serving.post(`/runs/${run_id}/resume`, { by: 'ann' });
    expect([status, body.run_id === run_id]).toEqual([202, false]);
    await serving.becomes(body.run_id, 'waiting');
  });

  it('is aborted while its agent works, which is stopped', async () => {
    const serving = await Serving.start('interrupted');
    const run_id = await serving.begin('Hand in last');
    await expect.poll(() => serving.stage.read('sources/working'), { timeout: 60_000 }).toBeDefined();
    const { status, body } = await serving.post(`/runs/${run_id}/abort`, { by: 'ann', reason: 'not needed' });
    expect([status, body]).toMatchObject([200, { status: 'aborted', reason: 'ann: not needed' }]);
    expect(await serving.post(`/runs/${run_id}/abort`, { by: 'ann', reason: 'again' })).toMatchObject({
      status: 409,
      body: { error: { code: 'RUN_TRANSITION' } },
    });
  });

  it('that the host has trouble with says so, and is tried again when somebody wants it', async () => {
    const serving = await Serving.start('rejection');
    serving.stage.write('src/new.txt', 'new');
    const run_id = await serving.begin();
    const troubled = async () => (await serving.get(`/runs/${run_id}`)).body.trouble;
    await expect.poll(troubled, { timeout: 60_000 }).toMatchObject({ code: 'WORKSPACE_DIRTY' });
    serving.stage.commit();
    expect((await serving.post(`/runs/${run_id}/resume`, { by: 'ann' })).status).toBe(202);
    expect(await serving.becomes(run_id, 'completed')).not.toHaveProperty('trouble');
  });

  it('goes on with the next host when this one is ended', async () => {
    const first = await Serving.start('interrupted');
    const run_id = await first.begin('Hand in last');
    await expect.poll(() => first.stage.read('sources/working'), { timeout: 60_000 }).toBeDefined();
    await first.close();
    first.stage.write('sources/go', '');
    const second = await Serving.start(first.stage);
    await second.becomes(run_id, 'completed');
    expect(second.token).toBe(first.token);
  });
});

describe('Decisions over the API', () => {
  it('need somebody who makes them, who may, and something that waits', async () => {
    const serving = await Serving.start('refused');
    const run_id = await serving.begin();
    await serving.becomes(run_id, 'waiting');
    const approve = (body: unknown, anonymous = false) => serving.post(`/runs/${run_id}/approve`, body, { anonymous });
    expect(await approve({})).toMatchObject({ status: 400, body: { error: { code: 'REQUEST_INVALID' } } });
    expect(await approve({ by: '' })).toMatchObject({ status: 400 });
    expect(await approve({ by: 'ann' }, true)).toMatchObject({ status: 401 });
    expect(await approve({ by: 'eve' })).toMatchObject({ status: 409, body: { error: { code: 'APPROVAL_INVALID' } } });
    expect((await serving.get(`/runs/${run_id}`)).body.status).toBe('waiting');
    await approve({ by: 'ann' });
    expect(await approve({ by: 'ann' })).toMatchObject({ status: 409 });
  });
});

describe('A gate at which people prove who they are', () => {
  it('takes their token, whatever the token of the API lets one do', async () => {
    const stage = new Stage('straight');
    const template = stage.read('patchbay/templates/flow.yaml') ?? '';
    stage.write('patchbay/templates/flow.yaml', template.replace('approval: human', 'approval: credentialed'));
    const { token } = await addApprover(stage.dir, 'ann');
    stage.commit();
    const serving = await Serving.start(stage);
    const run_id = await serving.begin();
    await serving.becomes(run_id, 'waiting');
    const approve = (body: object) => serving.post(`/runs/${run_id}/approve`, { by: 'ann', ...body });
    const unproven = { status: 403, body: { error: { code: 'APPROVAL_UNPROVEN' } } };
    expect(await approve({})).toMatchObject(unproven);
    expect(await approve({ token: serving.token })).toMatchObject(unproven);
    expect(await approve({ token })).toMatchObject({ status: 200 });
    await serving.becomes(run_id, 'completed');
    const { body } = await serving.get(`/events?run=${run_id}`);
    expect(JSON.stringify(body)).not.toContain(token);
    expect(JSON.stringify(body)).toContain('"proof":"token"');
  });
});

describe('Lists of runs', () => {
  it('come in pages, the last one first or the first one first, by status', async () => {
    const serving = await Serving.start('straight');
    const ids = [await serving.begin('one'), await serving.begin('two'), await serving.begin('three')];
    for (const id of ids) await serving.becomes(id, 'waiting');
    const idsOf = async (query: string) => {
      const { body } = await serving.get(`/runs?${query}`);
      return [body.items.map(({ run_id }: { run_id: string }) => ids.indexOf(run_id)), body.next];
    };
    const [first, cursor] = await idsOf('limit=2');
    expect(first).toEqual([2, 1]);
    expect(await idsOf(`limit=2&cursor=${cursor}`)).toEqual([[0], null]);
    expect(await idsOf('order=oldest&limit=3')).toEqual([[0, 1, 2], null]);
    expect(await idsOf('status=held&status=completed')).toEqual([[], null]);
    expect(await idsOf('status=waiting&status=active&limit=1')).toEqual([[2], ids[2]]);
    expect((await serving.get('/runs?status=lost')).status).toBe(400);
    expect((await serving.get('/runs?limit=0')).status).toBe(400);
    expect((await serving.get('/gates?limit=2')).body).toMatchObject({ next: ids[1] });
  });
});
