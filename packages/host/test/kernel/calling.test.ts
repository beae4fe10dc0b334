import { describe, expect, it } from 'vitest';
import { Kernel, type Seen } from '../../src/kernel/index.ts';
import { errorOf, Stage, table } from './fixture.ts';

describe('what a call is about', () => {
  it('is the run that the caller names, else the one in the payload, for handlers, watchers and failures alike', async () => {
    const failures: (string | undefined)[] = [];
    const kernel = new Kernel(table, { onFailure: ({ run }) => failures.push(run) });
    const runs: (string | null)[] = [];
    const seen: Seen['run'][] = [];
    kernel.intercept(({ run }) => {
      seen.push(run);
      return undefined;
    });
    const handler = (_: unknown, { run }: { run: string | null }) => {
      runs.push(run);
      throw new Error('no');
    };
    kernel.register({ name: 'a', handlers: [{ hook: 'notify', handler }] });
    await kernel.call('notify', { run_id: 'in the payload' });
    await kernel.call('notify', { run_id: 'in the payload' }, { run: 'named' });
    await kernel.call('notify', {});
    expect(runs).toEqual(['in the payload', 'named', null]);
    expect(seen).toEqual(['in the payload', 'named', undefined]);
    expect(failures).toEqual(['in the payload', 'named', undefined]);
  });

  it('lets a watcher tell a handler that threw undefined from one that did not throw', () => {
    const stage = new Stage();
    const ends: unknown[] = [];
    stage.kernel.intercept(() => (failure) => ends.push(failure));
    stage.put({
      name: 'a',
      handlers: [
        { hook: 'notify', handler: () => Promise.reject(undefined), trylast: true },
        { hook: 'notify', handler: () => {} },
      ],
    });
    return Promise.resolve(stage.kernel.call('notify', {})).then(() =>
      expect(ends).toEqual([undefined, { error: undefined }]),
    );
  });
});

describe('registering and leaving, the odd cases', () => {
  it.each([[null], [undefined], ['notify']])('refuses %j where a handler is wanted', async (handler) => {
    const { kernel } = new Stage();
    const error = await errorOf(() => kernel.register({ name: 'a', handlers: [handler as never] }));
    expect(error).toMatchObject({ code: 'HANDLER_INVALID', plugin: 'a' });
  });

  it('refuses a plugin without a list of handlers', async () => {
    const { kernel } = new Stage();
    const error = await errorOf(() => kernel.register({ name: 'a' } as never));
    expect(error).toMatchObject({ code: 'PLUGIN_INVALID', plugin: 'a' });
  });

  it('rejects, rather than throws, when a plugin to be taken out is not there', async () => {
    const { kernel } = new Stage();
    const leaving = kernel.unregister('nobody');
    await expect(leaving).rejects.toMatchObject({ code: 'PLUGIN_UNKNOWN' });
  });

  it('does not take out the successor of a plugin whose clean-up disposes it again', async () => {
    const { kernel } = new Stage();
    const register = () => kernel.register({ name: 'a', handlers: [] });
    const scope = register();
    scope.defer(() => {
      register();
      void scope.dispose();
    });
    await scope.dispose();
    expect(kernel.plugins()).toEqual(['a']);
  });

  it('has a plugin in, all of it, when the one who hears warnings throws', () => {
    const old = { ...table, old: { ...table.notify, deprecated: 'use notify' } };
    const kernel = new Kernel(old, {
      onWarning: () => {
        throw new Error('deaf');
      },
    });
    kernel.register({ name: 'a', handlers: [{ hook: 'old', handler: () => {} }] });
    expect(kernel.plugins()).toEqual(['a']);
  });
});
