import { definePlugin, type Plugin, refuse } from 'patchbay-sdk';
import { createTestHost } from 'patchbay-sdk/testing';
import { z } from 'patchbay-sdk/zod';
import { describe, expect, it } from 'vitest';

const plugin = (name: string, hooks: NonNullable<Plugin<undefined>['hooks']> = {}) =>
  definePlugin({ name, version: '1.0.0', hooks });

describe('firing', () => {
  it('calls the handlers with a sample payload, changed as one says', async () => {
    const goals: unknown[] = [];
    await using host = createTestHost(
      plugin('watcher', { 'run:started': ({ goal, roles }) => void goals.push(goal, roles) }),
    );
    await host.fire('run:started', { goal: 'Ship it' });
    expect(goals).toEqual(['Ship it', ['developer', 'reviewer']]);
  });

  it('tells who was called, in the order of the calls', async () => {
    await using host = createTestHost(
      plugin('one', { 'turn:accepted': () => {} }),
      plugin('two', { 'turn:accepted': { trylast: true, handler: () => {} } }),
      plugin('three', { 'turn:accepted': async () => {} }),
      plugin('other', { 'turn:rejected': () => {} }),
    );
    const { called } = await host.fire('turn:accepted');
    expect(called).toEqual(['three', 'one', 'two']);
  });

  it('does not mix up firings that are under way at the same time', async () => {
    const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
    await using host = createTestHost(
      plugin('one', { 'turn:accepted': soon, 'turn:rejected': soon }),
      plugin('two', { 'turn:accepted': soon }),
    );
    const [accepted, rejected] = await Promise.all([host.fire('turn:accepted'), host.fire('turn:rejected')]);
    expect(accepted.called).toEqual(['two', 'one']);
    expect(rejected.called).toEqual(['one']);
  });

  it('gives the result of the kind of hook', async () => {
    const tool = { description: 'x', inputSchema: {}, handler: () => ({ result: 1 }) };
    await using host = createTestHost(
      definePlugin({
        name: 'provider',
        version: '1.0.0',
        provides: { skills: () => ['/skills'], serviceTools: () => ({ echo: tool }) },
      }),
    );
    expect((await host.fire('skills')).result).toEqual([['/skills']]);
    expect((await host.fire('serviceTools')).result?.owners).toEqual({ echo: 'provider' });
    expect((await host.fire('memory')).result).toBeNull();
    expect((await host.fire('turn:accepted')).result).toBeUndefined();
  });

  it('tells what was answered, and by whom', async () => {
    await using host = createTestHost(
      plugin('silent', { 'turn:submitted': () => {} }),
      plugin('critic', { 'turn:submitted': () => ({ verdict: 'warn', message: 'hm' }) }),
    );
    const { answers } = await host.fire('turn:submitted');
    expect(answers).toMatchObject([{ plugin: 'critic', answer: { verdict: 'warn', message: 'hm' } }]);
  });

  it('tells who changed a waterfall, with before and after, and gives the last', async () => {
    await using host = createTestHost(
      plugin('second', { 'turn:dispatched': (turn) => ({ ...turn, summary: `${turn.summary}!` }) }),
      plugin('silent', { 'turn:dispatched': () => {} }),
      plugin('first', { 'turn:dispatched': (turn) => ({ ...turn, summary: 'Hi' }) }),
    );
    const { result, changes } = await host.fire('turn:dispatched', { summary: 'Hello' });
    expect(result?.summary).toBe('Hi!');
    expect(changes).toMatchObject([
      { plugin: 'first', before: { summary: 'Hello' }, after: { summary: 'Hi' } },
      { plugin: 'second', before: { summary: 'Hi' }, after: { summary: 'Hi!' } },
    ]);
  });

  it('tells of a refusal instead of throwing it', async () => {
    await using host = createTestHost(plugin('guard', { 'run:started': () => refuse('not on Fridays') }));
    const { refusal, result, failures } = await host.fire('run:started');
    expect(refusal).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'guard', hook: 'run:started', run: 'run-1' });
    expect(refusal?.message).toContain('not on Fridays');
    expect(result).toBeUndefined();
    expect(failures).toEqual([]);
  });

  it('tells of failures with their culprit, and goes on', async () => {
    await using host = createTestHost(
      plugin('good', { 'turn:accepted': () => {} }),
      plugin('bad', {
        'turn:accepted': () => {
          throw new Error('out of paper');
        },
      }),
    );
    const { failures, called, refusal } = await host.fire('turn:accepted');
    expect(failures).toMatchObject([{ code: 'HANDLER_FAILED', plugin: 'bad', hook: 'turn:accepted', run: 'run-1' }]);
    expect(failures[0]?.message).toContain('out of paper');
    expect(called).toEqual(['bad', 'good']);
    expect(refusal).toBeUndefined();
  });

  it('tells of both where a failure refuses', async () => {
    await using host = createTestHost(
      plugin('bad', { 'gate:pending': { deadlineMs: 10, handler: () => new Promise<void>(() => {}) } }),
    );
    const { failures, refusal } = await host.fire('gate:pending');
    expect(failures).toMatchObject([{ code: 'HANDLER_TIMEOUT', plugin: 'bad' }]);
    expect(refusal?.cause).toBe(failures[0]);
  });

  it('replays what a plugin that comes later has missed', async () => {
    const versions: string[] = [];
    await using host = createTestHost();
    await host.fire('host:ready', { version: '9.9.9' });
    host.load(plugin('late', { 'host:ready': ({ version }) => void versions.push(version) }));
    expect(versions).toEqual(['9.9.9']);
  });

  it('collects what plugins log, in order, with its author and its fields', async () => {
    await using host = createTestHost(
      plugin('a', { 'turn:accepted': (_, { log }) => log.info('seen', { n: 1 }) }),
      plugin('b', { 'turn:accepted': (_, { log }) => log.warn('odd') }),
    );
    await host.fire('turn:accepted');
    expect(host.logs).toEqual([
      { plugin: 'b', level: 'warn', message: 'odd', fields: undefined },
      { plugin: 'a', level: 'info', message: 'seen', fields: { n: 1 } },
    ]);
  });
});

describe('loading', () => {
  it('gives back what takes the plugin out', async () => {
    await using host = createTestHost();
    const undo = host.load(plugin('guest', { 'turn:accepted': () => {} }));
    (await host.fire('turn:accepted')).assertCalled('guest');
    await undo();
    (await host.fire('turn:accepted')).assertCalled();
    await undo();
    host.load(plugin('guest', { 'turn:accepted': () => {} }));
    (await host.fire('turn:accepted')).assertCalled('guest');
  });

  it('fills in the defaults of the configuration', async () => {
    const configs: unknown[] = [];
    const configured = definePlugin({
      name: 'configured',
      version: '1.0.0',
      config: z.object({ channel: z.string(), retries: z.number().default(3) }),
      hooks: { 'turn:accepted': (_, { config }) => void configs.push(config) },
    });
    await using host = createTestHost();
    host.load(configured, { channel: 'ops' });
    await host.fire('turn:accepted');
    expect(configs).toEqual([{ channel: 'ops', retries: 3 }]);
  });

  it('refuses a second plugin of the same name', () => {
    const host = createTestHost(plugin('twin'));
    expect(() => host.load(plugin('twin'))).toThrow(
      expect.objectContaining({ code: 'PLUGIN_DUPLICATE', plugin: 'twin' }),
    );
  });
});

describe('closing', () => {
  const deferring = (name: string, undone: string[]) =>
    plugin(name, {
      'turn:accepted': (_, context) => {
        context.defer(() => void undone.push(`${name} 1`));
        context.defer(async () => void undone.push(`${name} 2`));
      },
    });

  it('undoes what handlers deferred, the last one first, of the last plugin first', async () => {
    const undone: string[] = [];
    const host = createTestHost(deferring('a', undone), deferring('b', undone));
    await host.fire('turn:accepted');
    expect(undone).toEqual([]);
    await host.close();
    expect(undone).toEqual(['b 2', 'b 1', 'a 2', 'a 1']);
    await host.close();
    expect(undone).toHaveLength(4);
  });

  it('happens by itself at the end of a block with `await using`', async () => {
    const undone: string[] = [];
    {
      await using host = createTestHost(deferring('a', undone));
      await host.fire('turn:accepted');
    }
    expect(undone).toEqual(['a 2', 'a 1']);
  });

  it('undoes what was deferred with a `defer` taken out of the context', async () => {
    const undone: string[] = [];
    const host = createTestHost(plugin('a', { 'turn:accepted': (_, { defer }) => defer(() => void undone.push('a')) }));
    (await host.fire('turn:accepted')).assertOk();
    await host.close();
    expect(undone).toEqual(['a']);
  });

  it('is not stopped by an undo that fails', async () => {
    const undone: string[] = [];
    const clumsy = plugin('clumsy', {
      'turn:accepted': (_, context) =>
        context.defer(() => {
          throw new Error('stuck');
        }),
    });
    const host = createTestHost(deferring('a', undone), clumsy);
    await host.fire('turn:accepted');
    await host.close();
    expect(undone).toEqual(['a 2', 'a 1']);
  });
});
