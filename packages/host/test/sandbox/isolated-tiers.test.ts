import { join } from 'node:path';
import { type EventName, type EventPayload, hooks, type PatchbayError, sample } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { folder } from '../../../../test/project.ts';
import { fromDefinition } from '../../src/dialects/native.ts';
import { Kernel, newRecord } from '../../src/kernel/index.ts';
import type { LogLine } from '../../src/sandbox/isolated/index.ts';
import { benchOf, modes } from './isolated-fixture.ts';
import definition from './isolated-plugin.fixture.ts';

/** A kernel with the plugin in it, whichever way it runs. */
interface Tier {
  readonly kernel: Kernel<typeof hooks>;
  readonly failures: PatchbayError[];
  readonly logs: LogLine[];
}

function inProcess(config: unknown): Tier {
  const failures: PatchbayError[] = [];
  const logs: LogLine[] = [];
  const write = (level: LogLine['level']) => (message: string, fields?: Record<string, unknown>) =>
    void logs.push({ level, message, ...(fields === undefined ? {} : { fields }) });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const kernel = new Kernel(hooks, { onFailure: (failure) => failures.push(failure) });
  kernel.register(fromDefinition(definition, config, () => log));
  onTestFinished(async () => {
    if (kernel.has('two-tiers')) await kernel.unregister('two-tiers');
  });
  return { kernel, failures, logs };
}

async function isolated(config: unknown, namespace: 'auto' | 'off'): Promise<Tier> {
  const dir = import.meta.dirname;
  const module = join(dir, 'isolated-plugin.fixture.ts');
  const bench = benchOf({ name: 'two-tiers', module, dir, project: folder(), config, namespace });
  await bench.register();
  return bench;
}

const tiers: [string, (config?: unknown) => Tier | Promise<Tier>][] = [
  ['in-process', (config = {}) => inProcess(config)],
  ...modes.map((mode): [string, (config?: unknown) => Promise<Tier>] => [
    `isolated, namespace ${mode}`,
    (config = {}) => isolated(config, mode),
  ]),
];

const event = <E extends EventName>(name: E, changed: Partial<EventPayload<E>> = {}) =>
  ({ ...sample(name), ...changed }) as EventPayload<E>;
const told = (failures: readonly PatchbayError[]) => failures.map(({ code, message, run }) => [code, message, run]);

describe.each(tiers)('a plugin that runs %s', (_, open) => {
  const accepted = async (summary: string) => {
    const tier = await open();
    const record = newRecord();
    const run = tier.kernel.call('turn:accepted', event('turn:accepted', { summary }), { record });
    expect(await run).toBeUndefined();
    return { ...tier, record };
  };
  const where = 'plugin "two-tiers" in hook "turn:accepted"';

  it('answers a verdict with message and annotations', async () => {
    const { record, failures } = await accepted('anything');
    expect(record.answers).toEqual([
      {
        plugin: 'two-tiers',
        handler: 'two-tiers#1',
        answer: { verdict: 'ok', message: 'fine', annotations: { a: 1 } },
      },
    ]);
    expect(failures).toEqual([]);
  });

  it.each([
    ['throw', 'HANDLER_FAILED', `${where} failed: it broke`],
    ['throw a text', 'HANDLER_FAILED', `${where} failed: a text`],
    ['throw an object', 'HANDLER_FAILED', `${where} failed: threw {"reason":7}`],
    ['fail', 'HANDLER_FAILED', `${where} failed: could not`],
  ])('is blamed for it when it does this: %s', async (summary, code, message) => {
    const { failures } = await accepted(summary);
    expect(told(failures)).toEqual([[code, message, 'run-1']]);
  });

  it('keeps name, message and stack of what was thrown as the cause', async () => {
    const { failures } = await accepted('throw');
    expect(failures[0]?.cause).toMatchObject({ name: 'TypeError', message: 'it broke' });
    expect(failures[0]?.cause).toHaveProperty('stack', expect.stringContaining('isolated-plugin.fixture.ts'));
  });

  it('is blamed for an answer that the hook does not allow', async () => {
    const { failures } = await accepted('nonsense');
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ code: 'HANDLER_ANSWER', plugin: 'two-tiers', hook: 'turn:accepted' });
  });

  it('cannot change the payload', async () => {
    const { failures } = await accepted('change the payload');
    expect(failures[0]?.message).toMatch(/failed: Cannot assign to read only property 'summary'/);
  });

  it('gets plugin, hook, run, delivery and its configuration with defaults', async () => {
    const { kernel, logs } = await open({ greeting: 'hi' });
    const key = (plugin: string, handler: string) => `${plugin}/${handler}`;
    await kernel.call('turn:accepted', event('turn:accepted', { summary: 'tell the context' }), { run: 'r-9', key });
    const fields = {
      plugin: 'two-tiers',
      hook: 'turn:accepted',
      run: 'r-9',
      delivery: 'two-tiers/two-tiers#1',
      config: { greeting: 'hi', times: 2 },
      aborted: false,
    };
    await eventually(() => expect(logs).toContainEqual({ level: 'info', message: 'context', fields }));
  });

  it('logs at all levels, in order', async () => {
    const { logs } = await accepted('log');
    await eventually(() => expect(logs).toHaveLength(4));
    expect(logs).toEqual([
      { level: 'debug', message: 'one' },
      { level: 'info', message: 'two', fields: { n: 2 } },
      { level: 'warn', message: 'three' },
      { level: 'error', message: 'four', fields: { deep: { er: [1] } } },
    ]);
  });

  it('has what it deferred undone in reverse order when it is taken out', async () => {
    const { kernel, logs } = await accepted('defer');
    expect(logs).toEqual([]);
    await kernel.unregister('two-tiers');
    expect(logs.map(({ message }) => message)).toEqual(['undone third', 'undone second', 'undone first']);
  });

  it('is blamed when what it deferred fails', async () => {
    const { kernel, failures } = await accepted('defer what fails');
    await kernel.unregister('two-tiers');
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ['HANDLER_FAILED', 'plugin "two-tiers" failed to clean up: cannot be undone'],
    ]);
  });

  it('is blamed when it does not answer before its own deadline', async () => {
    const { kernel, failures } = await open();
    await kernel.call('turn:submitted', event('turn:submitted'));
    expect(told(failures)).toEqual([
      ['HANDLER_TIMEOUT', 'plugin "two-tiers" in hook "turn:submitted" did not answer within 100 ms', 'run-1'],
    ]);
  });

  it.each([
    ['refuse', 'plugin "two-tiers" in hook "run:started" refused: not today'],
    ['throw', 'hook "run:started" is refused: plugin "two-tiers" in hook "run:started" failed: it broke'],
  ])('refuses a closed hook when it does this: %s', async (goal, message) => {
    const { kernel } = await open();
    const call = (async () => kernel.call('run:started', event('run:started', { goal })))();
    await expect(call).rejects.toMatchObject({ code: 'HOOK_REFUSED', message, plugin: 'two-tiers', run: 'run-1' });
  });

  it.each(['nonsense', 'function', 'not a number'])('refuses a closed hook by a bad answer: %s', async (goal) => {
    const { kernel } = await open();
    const call = (async () => kernel.call('run:started', event('run:started', { goal })))();
    await expect(call).rejects.toMatchObject({ code: 'HOOK_REFUSED', plugin: 'two-tiers' });
  });

  it.each(['warn', 'anything'])('lets a closed hook pass when it answers: %s', async (goal) => {
    const { kernel } = await open();
    expect(await kernel.call('run:started', event('run:started', { goal }))).toBeUndefined();
  });

  it('rewrites what a waterfall passes on, and is named for it', async () => {
    const { kernel } = await open();
    const record = newRecord();
    const result = await kernel.call('turn:dispatched', event('turn:dispatched', { summary: 'written' }), { record });
    expect(result.summary).toBe('written and rewritten');
    expect(record.changes.map(({ plugin }) => plugin)).toEqual(['two-tiers']);
  });

  it('wraps the handlers of others in two halves', async () => {
    const { kernel, logs } = await open();
    const seen: string[] = [];
    const handler = () => void seen.push(`within, after ${logs.length} lines`);
    kernel.register({ name: 'inner', handlers: [{ hook: 'gate:pending', handler }] });
    await kernel.call('gate:pending', event('gate:pending', { summary: 'all well' }));
    await eventually(() => expect(logs).toHaveLength(2));
    expect(logs).toEqual([
      { level: 'info', message: 'before all well' },
      { level: 'info', message: 'after', fields: { result: null, refusal: null, code: null } },
    ]);
    expect(seen).toEqual(['within, after 1 lines']);
  });

  it('sees in its second half what the handlers refused with', async () => {
    const { kernel, logs } = await open();
    const handler = () => ({ verdict: 'block', message: 'closed' });
    kernel.register({ name: 'inner', handlers: [{ hook: 'gate:pending', handler }] });
    const call = (async () => kernel.call('gate:pending', event('gate:pending')))();
    await expect(call).rejects.toMatchObject({ code: 'HOOK_REFUSED', plugin: 'inner' });
    const refusal = 'plugin "inner" in hook "gate:pending" refused: closed';
    await eventually(() =>
      expect(logs.at(-1)).toEqual({
        level: 'info',
        message: 'after',
        fields: { result: null, refusal, code: 'HOOK_REFUSED' },
      }),
    );
  });

  it('may do without a second half', async () => {
    const { kernel, failures } = await open();
    await kernel.call('gate:pending', event('gate:pending', { summary: 'no second half' }));
    expect(failures).toEqual([]);
  });

  it.each([
    ['throw', /failed: the first half broke/],
    ['throw later', /failed: the second half broke/],
    ['nonsense', /may answer a function to be called afterwards, nothing else/],
  ])('refuses a closed hook when its wrapper does this: %s', async (summary, message) => {
    const { kernel } = await open();
    const call = (async () => kernel.call('gate:pending', event('gate:pending', { summary })))();
    await expect(call).rejects.toMatchObject({ code: 'HOOK_REFUSED', message: expect.stringMatching(message) });
  });

  it('stands where tryfirst, before and trylast put its handlers', async () => {
    const { kernel, logs } = await open();
    const handler = async () => {
      await eventually(() => expect(logs.length).toBeGreaterThan(1));
      logs.push({ level: 'info', message: 'neighbour' });
    };
    kernel.register({ name: 'neighbour', handlers: [{ hook: 'run:completed', handler }] });
    await kernel.call('run:completed', event('run:completed'));
    await eventually(() => expect(logs).toHaveLength(4));
    expect(logs.map(({ message }) => message)).toEqual(['early', 'middle', 'neighbour', 'late']);
  });

  it('provides plain values and functions', async () => {
    const { kernel } = await open();
    expect(await kernel.call('skills', {})).toEqual([['/skills/a', '/skills/b']]);
    const { entries, owners } = await kernel.call('serviceTools', {});
    expect(owners).toEqual({ echo: 'two-tiers' });
    const echo = entries['echo'];
    const call = typeof echo === 'function' ? echo : echo?.handler;
    const answer = call?.({ type: 'echo', request_id: '1', word: 'hello' });
    expect(await answer).toEqual({ result: 'hello' });
  });

  it('is told of what was before it came', async () => {
    const { kernel, logs } = await open();
    await kernel.call('host:ready', { version: '9.9.9', project: null });
    await eventually(() => expect(logs).toEqual([{ level: 'info', message: 'ready 9.9.9' }]));
  });
});
