import { describe, expect, it } from 'vitest';
import { openBeside } from '../../../../test/store.ts';
import { openMemory } from '../../src/capabilities/index.ts';
import { Emitter } from '../../src/outbound/emitter.ts';
import { Services } from '../../src/services/services.ts';
import { Bench, moduleForm } from '../host/fixture.ts';
import { lenient, Stage, toolPlugin } from './fixture.ts';

const house = `export default { name: 'house', version: '1.0.0', provides: { memory: () => ({
  name: 'house', save: async (group, key) => ({ saved: group + '/' + key }), recall: async (group, query) => [{ by: 'house', query }],
  forget: async () => ({ forgotten: true }), listKeys: async () => [{ key: 'a' }, { key: 'b' }],
  init: async () => {}, close: async () => {},
}) } };`;

describe('the memory tools', () => {
  it('save, recall, list and forget in the memory of the workspace, without a person', async () => {
    const stage = await Stage.open({ withMemory: true, settings: { tier: 'human-approval' } });
    const turn = stage.turn();
    expect((await turn.list()).map(({ name }) => name)).toEqual([
      'memory_save',
      'memory_recall',
      'memory_forget',
      'memory_list',
    ]);
    expect(await turn.call('memory_save', { key: 'door', content: 'the code is 1234' })).toHaveProperty('result');
    expect(await turn.call('memory_recall', { query: 'what is the "code"?' })).toMatchObject({
      result: [{ key: 'door', content: 'the code is 1234' }],
    });
    expect(await turn.call('memory_list', { limit: 1 })).toMatchObject({ result: [{ key: 'door' }] });
    const elsewhere = stage.turn({ workspace: 'work' });
    expect(await elsewhere.call('memory_recall', { query: 'code' })).toEqual({ result: [] });
    expect(await stage.turn({ workspace: null, chat_jid: null }).call('memory_list', {})).toEqual({ result: [] });
    expect(await turn.call('memory_forget', { key: 'door' })).toHaveProperty('result');
    expect(await turn.call('memory_recall', { query: 'code' })).toEqual({ result: [] });
    expect(await turn.call('memory_save', { key: '', content: 1, group: 'work' })).toHaveProperty('error');
  });

  it('reach the backend that won, not the built-in', async () => {
    const stage = await Stage.open({ withMemory: true, modules: { house } });
    const turn = stage.turn();
    expect(await turn.call('memory_save', { key: 'door', content: 'x' })).toEqual({ result: { saved: 'home/door' } });
    expect(await turn.call('memory_recall', { query: 'q' })).toEqual({ result: [{ by: 'house', query: 'q' }] });
    expect(await turn.call('memory_list', { limit: 1 })).toEqual({ result: [{ key: 'a' }] });
    expect(await stage.turn({ workspace: null }).call('memory_save', { key: 'k', content: 'x' })).toEqual({
      result: { saved: 'project/k' },
    });
    expect((await stage.records())[0]).toMatchObject({ source: { kind: 'memory', name: 'house' } });
  });

  it('are replaced by a tool of a plugin with the same name, which is told, and for which a person is asked', async () => {
    const plugins = [toolPlugin('better', { memory_save: () => ({ result: 'better' }) })];
    const stage = await Stage.open({ withMemory: true, plugins, settings: { tier: 'human-approval' } });
    const turn = stage.turn();
    await turn.list();
    const called = turn.call('memory_save', {});
    const { approval_id } = await stage.waiting();
    await stage.services.decide(approval_id, { decision: 'approved', by: 'ann', comment: null });
    expect(await called).toEqual({ result: 'better' });
    expect(stage.warnings).toEqual(['tool "memory_save" comes from several: plugin "better" is used, not the memory']);
  });
});

it('the tools of MCP servers pass the same policy, by names that say whose they are', async () => {
  const calls: unknown[] = [];
  const servers = {
    list: async (workspace: string | null) =>
      workspace === 'home'
        ? [{ server: 'gdrive.work', name: 'find file', description: 'Finds', inputSchema: { required: ['q'] } }]
        : [],
    call: async (...call: unknown[]) => ({ result: calls.push(call.slice(0, 3)) }),
  };
  const settings = {
    tools: { 'gdrive_*': { tier: 'rules-engine' } },
    rules: [{ args: { q: 'secret' }, decision: 'refuse' }, { decision: 'allow' }],
  } as const;
  const stage = await Stage.open({ parts: { servers }, settings });
  const turn = stage.turn();
  expect(await turn.list()).toEqual([
    { name: 'gdrive_work__find_file', description: 'Finds', inputSchema: { required: ['q'] } },
  ]);
  expect(await turn.call('gdrive_work__find_file', {})).toHaveProperty('error');
  expect(await turn.call('gdrive_work__find_file', { q: 'secret' })).toHaveProperty('error');
  expect(await turn.call('gdrive_work__find_file', { q: 'tea' })).toEqual({ result: 1 });
  expect(calls).toEqual([['gdrive.work', 'find file', { q: 'tea' }]]);
  expect(await stage.turn({ workspace: 'other' }).list()).toEqual([]);
});

describe('a plugin in a process of its own', () => {
  const text = `export default { name: 'apart', version: '1.0.0', provides: { serviceTools: () => ({
    where: { handler: async ({ n }) => ({ result: { pid: process.pid, n } }), description: 'Where', inputSchema: { type: 'object' } },
    bare: () => ({ error: 'no' }),
    die: () => process.exit(3),
    hang: () => { for (;;); },
  }) } };`;

  async function open() {
    const bench = new Bench('patchbay');
    await bench.install('apart', moduleForm('apart', ['serviceTools'], text));
    const host = await bench.open();
    const ledger = await openBeside(bench.dir);
    const unknown = { version: null, digest: null, hide: <T>(value: T) => value, rights: null };
    const services = new Services({
      kernel: host.kernel,
      ledger,
      emitter: new Emitter(host.kernel, ledger, () => unknown),
      settings: { ...lenient, handlerMs: 2000 },
      workspaceOf: () => undefined,
      memory: () => openMemory(host.kernel, bench.dir),
    });
    const user = {
      key: 'r/t/1',
      run_id: 'r',
      turn_id: 't',
      role: 'dev',
      workspace: null,
      chat_jid: null,
      dir: bench.dir,
    };
    return { turn: services.open({ ...user, signal: new AbortController().signal }), ledger };
  }

  it('has its tools called there', async () => {
    const { turn, ledger } = await open();
    const answer = (await turn.call('where', { n: 1 })) as { result: { pid: number; n: number } };
    expect(answer.result.n).toBe(1);
    expect(answer.result.pid).not.toBe(process.pid);
    expect(await turn.call('bare', {})).toEqual({ error: 'no' });
    await ledger.close();
  });

  it.each(['die', 'hang'])('may %s in a call: that is an error, and the next one works', async (name) => {
    const { turn, ledger } = await open();
    expect(await turn.call(name, {})).toEqual({
      error: expect.stringMatching(/^tool ".*" of plugin "apart" failed: /),
    });
    await expect
      .poll(() => turn.call('where', { n: 2 }), { timeout: 60_000, interval: 500 })
      .toMatchObject({ result: { n: 2 } });
    await ledger.close();
  });
});
