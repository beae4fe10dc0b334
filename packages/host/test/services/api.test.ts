import { hooks } from 'patchbay-sdk';
import { expect, it, onTestFinished } from 'vitest';
import { openBeside } from '../../../../test/store.ts';
import { Kernel } from '../../src/kernel/index.ts';
import { Emitter } from '../../src/outbound/emitter.ts';
import { Services } from '../../src/services/services.ts';
import { Serving } from '../api/fixture.ts';
import { lenient } from './fixture.ts';

it('over the API calls that wait are listed and decided on, by whoever has the token', async () => {
  const serving = await Serving.start('straight');
  const kernel = new Kernel(hooks);
  kernel.register({
    name: 'bank',
    handlers: [{ hook: 'serviceTools', handler: () => ({ pay: () => ({ result: 'paid' }) }) }],
  });
  const ledger = await openBeside(serving.stage.dir);
  const unknown = { version: null, digest: null, hide: <T>(value: T) => value, rights: null };
  const services = new Services({
    kernel,
    ledger,
    emitter: new Emitter(kernel, ledger, () => unknown),
    settings: { ...lenient, tier: 'human-approval' },
    workspaceOf: () => undefined,
    memory: async () => undefined,
  });
  await services.start();
  onTestFinished(async () => {
    await services.close();
    await ledger.close();
  });
  const user = {
    key: 'r/t/1',
    run_id: 'r',
    turn_id: 't',
    role: 'a',
    workspace: 'home',
    chat_jid: 'terminal:home',
    dir: serving.stage.dir,
  };
  const turn = services.open({ ...user, signal: new AbortController().signal });
  const calls = [turn.call('pay', { n: 1 }), turn.call('pay', { n: 2 })];
  const listed = async () => (await serving.get('/approvals')).body.items;
  await expect.poll(listed, { timeout: 20_000 }).toHaveLength(2);
  const [first, second] = (await listed()).toSorted(
    (a: { input: { n: number } }, b: typeof a) => a.input.n - b.input.n,
  );
  expect(first).toMatchObject({
    tool: 'pay',
    workspace: 'home',
    chat_jid: 'terminal:home',
    input: { n: 1 },
    why: 'human-approval',
  });
  const decide = (id: string, decision: string, more = {}) => serving.post(`/approvals/${id}`, { decision }, more);
  expect((await decide(first.approval_id, 'approved', { anonymous: true })).status).toBe(401);
  expect((await decide(first.approval_id, 'perhaps')).status).toBe(400);
  expect((await decide('tool-000000000000', 'approved')).status).toBe(409);
  expect((await decide('run-1', 'approved')).status).toBe(400);
  expect((await decide(first.approval_id, 'approved')).status).toBe(200);
  expect((await decide(first.approval_id, 'refused')).body.error).toMatchObject({ code: 'APPROVAL_INVALID' });
  expect((await decide(second.approval_id, 'refused')).status).toBe(200);
  expect(await Promise.all(calls)).toEqual([
    { result: 'paid' },
    { error: 'tool "pay" was not called: api refused it' },
  ]);
  expect(await listed()).toEqual([]);
});
