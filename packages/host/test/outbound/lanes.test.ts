import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventPayload, type Hooks, hooks, refuse, sample } from 'patchbay-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../../test/store.ts';
import { Kernel, type KernelOptions } from '../../src/kernel/index.ts';
import { type Delivery, type LedgerStore, newEvent } from '../../src/ledger/index.ts';
import { hiding } from '../../src/log/redact.ts';
import { Emitter } from '../../src/outbound/emitter.ts';
import { Lanes } from '../../src/outbound/lanes.ts';
import { noRights } from '../../src/outbound/sending/rights.ts';

const undos: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

/** Kernel, ledger, emitter and lanes, as a host puts them together. */
async function station({ file, ...options }: KernelOptions & { file?: string } = {}) {
  const dir = file === undefined ? mkdtempSync(join(tmpdir(), 'lanes-')) : undefined;
  if (dir !== undefined) undos.push(() => rmSync(dir, { recursive: true }));
  const path = file ?? join(dir as string, 'ledger.db');
  const kernel = new Kernel<Hooks>(hooks, options);
  const ledger = await openStore(path);
  const edition = { version: '1.0.0', digest: 'sha512-x', hide: hiding(['hush-hush']), rights: noRights };
  const emitter = new Emitter(kernel, ledger, () => edition);
  const lanes = new Lanes(kernel, ledger, emitter, () => edition);
  const close = async () => {
    await lanes.close();
    await ledger.close();
  };
  undos.push(close);
  const add = (name: string, its: Record<string, unknown>, more: object = {}) =>
    kernel.register({
      name,
      dialect: 'agentxchain',
      handlers: Object.entries(its).map(([hook, handler]) => ({ hook, handler, id: 'h', ...more })),
    });
  return { kernel, ledger, emitter, lanes, add, close, path };
}

async function all(ledger: LedgerStore, filter: Parameters<LedgerStore['deliveries']>[0] = {}): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for await (const delivery of ledger.deliveries(filter)) found.push(delivery);
  return found;
}

const accepted = (summary = 's') =>
  newEvent('turn:accepted', { ...sample('turn:accepted'), event_id: crypto.randomUUID(), summary });

describe('Events that are only watched', () => {
  it('are durable before anybody is called, and are then delivered to every plugin', async () => {
    const { emitter, lanes, add, ledger } = await station();
    const seen: string[] = [];
    add('a', { 'turn:accepted': ({ summary }: EventPayload<'turn:accepted'>) => void seen.push(`a ${summary}`) });
    add('b', { 'turn:accepted': ({ summary }: EventPayload<'turn:accepted'>) => void seen.push(`b ${summary}`) });
    await emitter.emit(accepted('one'));
    expect(seen).toEqual([]);
    await lanes.start();
    await lanes.rest();
    expect(seen).toEqual(['a one', 'b one']);
    expect(await all(ledger)).toMatchObject([
      { plugin: 'a', handler: 'h', status: 'ok', attempts: 1, plugin_version: '1.0.0', plugin_digest: 'sha512-x' },
      { plugin: 'b', handler: 'h', status: 'ok', attempts: 1, awaited: false },
    ]);
  });

  it('reach a wrapper like a handler, both halves', async () => {
    const { emitter, lanes, kernel } = await station();
    const seen: string[] = [];
    kernel.register({
      name: 'w',
      handlers: [
        {
          hook: 'turn:accepted',
          wrapper: () => {
            seen.push('before');
            return () => void seen.push('after');
          },
        },
      ],
    });
    await lanes.start();
    await emitter.emit(accepted());
    await lanes.rest();
    expect(seen).toEqual(['before', 'after']);
  });

  it('reach each plugin in the order of the events, and one plugin after the other for the same event', async () => {
    const { emitter, lanes, add } = await station();
    const seen: string[] = [];
    for (const name of ['a', 'b']) {
      add(name, {
        'turn:accepted': async ({ summary }: EventPayload<'turn:accepted'>) => {
          await sleep(name === 'a' ? 30 : 0);
          seen.push(`${name}${summary}`);
        },
      });
    }
    await lanes.start();
    for (let i = 0; i < 5; i++) {
      await emitter.emit(accepted(String(i)));
      await lanes.rest();
    }
    expect(seen).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4', 'b4']);
  });

  it('do not wait for a plugin that hangs: its neighbour gets all of them meanwhile', async () => {
    const { emitter, lanes, add } = await station();
    const seen: string[] = [];
    let release: () => void = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    add('a-stuck', { 'turn:accepted': () => stuck });
    const { promise: done, resolve } = Promise.withResolvers<void>();
    add('neighbour', {
      'turn:accepted': ({ summary }: EventPayload<'turn:accepted'>) => {
        seen.push(String(summary));
        if (seen.length === 50) resolve();
      },
    });
    await lanes.start();
    for (let i = 0; i < 50; i++) await emitter.emit(accepted(String(i)));
    await done;
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
    release();
    await lanes.rest();
  });

  it('that were owed when a host died are delivered by the next one, under the same key', async () => {
    const first = await station();
    const keys: (string | null)[] = [];
    first.add('p', {
      'turn:accepted': (_: unknown, { delivery }: { delivery: string | null }) => {
        keys.push(delivery);
        return new Promise(() => {});
      },
    });
    await first.lanes.start();
    await first.emitter.emit(accepted());
    while (keys.length === 0) await sleep(5);
    // As if it had been killed: nothing is closed, nothing is settled.
    const second = await station({ file: first.path });
    second.add('p', {
      'turn:accepted': (_: unknown, { delivery }: { delivery: string | null }) => void keys.push(delivery),
    });
    await second.lanes.start();
    await second.lanes.rest();
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}\.\d+$/);
    undos.splice(undos.indexOf(first.close), 1);
  });

  it('stay owed to a plugin that is not there, and are cancelled for a handler that is no more', async () => {
    const { emitter, lanes, add, ledger } = await station();
    const scope = add('p', { 'turn:accepted': () => {} });
    await emitter.emit(accepted());
    await scope.dispose();
    await lanes.start();
    await lanes.rest();
    expect(await all(ledger)).toMatchObject([{ status: 'owed' }]);
    add('p', { 'turn:rejected': () => {} });
    await lanes.rest();
    expect(await all(ledger)).toMatchObject(
      [{ status: 'cancelled', message: /no longer has this handler/ }].map((row) => ({ status: row.status })),
    );
  });
});

describe('A delivery that fails', () => {
  it('is told as an event of its own, once: a plugin that fails at that too is only listed', async () => {
    const { emitter, lanes, add, ledger } = await station();
    const heard: unknown[] = [];
    const fails = () => {
      throw new Error('out of paper, hush-hush');
    };
    add('bad', { 'turn:accepted': fails, 'delivery:failed': fails });
    add('watcher', {
      'delivery:failed': ({ plugin, error }: EventPayload<'delivery:failed'>) => void heard.push([plugin, error]),
    });
    await lanes.start();
    await emitter.emit(accepted());
    await lanes.rest();
    expect(heard).toEqual([['bad', expect.stringContaining('out of paper')]]);
    const failed = await all(ledger, { status: ['failed'] });
    expect(failed.map(({ event }) => event)).toEqual(['turn:accepted', 'delivery:failed']);
    expect(failed[0]).toMatchObject({ verdict: 'fail', message: expect.stringContaining('out of paper, ***') });
  });

  it('can be replayed under the same key', async () => {
    const { emitter, lanes, add, ledger } = await station();
    const keys: (string | null)[] = [];
    add('p', {
      'turn:accepted': (_: unknown, { delivery }: { delivery: string | null }) => {
        keys.push(delivery);
        if (keys.length === 1) throw new Error('not yet');
      },
    });
    await lanes.start();
    await emitter.emit(accepted());
    await lanes.rest();
    const [failed] = await all(ledger, { status: ['failed'] });
    await ledger.replay(failed?.id ?? '');
    await lanes.rest();
    expect(keys[0]).toBe(keys[1]);
    expect(await ledger.delivery(failed?.id ?? '')).toMatchObject({ status: 'ok' });
  });

  it('too often in a row pauses the handler: what follows waits and arrives when it works again', async () => {
    let works = false;
    let clock = 0;
    const seen: string[] = [];
    const { emitter, lanes, add, ledger } = await station({ breaker: { failures: 2, pauseMs: 50, now: () => clock } });
    add('p', {
      'turn:accepted': ({ summary }: EventPayload<'turn:accepted'>) => {
        if (!works) throw new Error('down');
        seen.push(String(summary));
      },
    });
    await lanes.start();
    for (let i = 0; i < 5; i++) await emitter.emit(accepted(String(i)));
    await lanes.rest();
    expect((await all(ledger)).filter(({ event }) => event === 'turn:accepted').map(({ status }) => status)).toEqual([
      'failed',
      'failed',
      'owed',
      'owed',
      'owed',
    ]);
    works = true;
    clock = 100;
    while ((await all(ledger, { status: ['owed'] })).length > 0) await sleep(10);
    expect(seen).toEqual(['2', '3', '4']);
  });
});

describe('An event that may be refused', () => {
  const started = () => newEvent('run:started', { ...sample('run:started'), event_id: crypto.randomUUID() });

  it('waits for its handlers, and each is written down with its verdict', async () => {
    const { emitter, add, ledger } = await station();
    add('a', { 'run:started': () => ({ verdict: 'warn', message: 'late hour' }) });
    add('b', { 'run:started': async () => {} });
    await emitter.emit(started());
    expect(await all(ledger)).toMatchObject([
      { plugin: 'a', awaited: true, status: 'warn', verdict: 'warn', message: 'late hour' },
      { plugin: 'b', awaited: true, status: 'ok' },
    ]);
  });

  it('is refused by a verdict; those after it are not asked', async () => {
    const { emitter, add, ledger } = await station();
    add('a', { 'run:started': () => refuse('not on Fridays', { day: 5 }) });
    add('b', { 'run:started': () => {} });
    await expect(emitter.emit(started())).rejects.toMatchObject({ code: 'HOOK_REFUSED', plugin: 'a' });
    expect(await all(ledger)).toMatchObject([
      { plugin: 'a', status: 'refused', verdict: 'block', message: 'not on Fridays', annotations: { day: 5 } },
      { plugin: 'b', status: 'skipped' },
    ]);
  });

  it.each([
    ['a crash', () => Promise.reject(new Error('boom'))],
    ['a bad answer', () => ({ verdict: 'certainly' })],
    ['a verdict that it failed', () => ({ verdict: 'fail', message: 'no idea' })],
    ['no answer in time', () => new Promise(() => {})],
  ])('is refused by %s', async (_, handler) => {
    const { emitter, add, ledger } = await station();
    add('a', { 'run:started': handler }, { deadlineMs: 50 });
    await expect(emitter.emit(started())).rejects.toMatchObject({ code: 'HOOK_REFUSED', plugin: 'a' });
    expect(await all(ledger)).toMatchObject([{ plugin: 'a', status: 'failed' }]);
  });

  it('passes an advisory handler whatever it says', async () => {
    const { emitter, add, ledger } = await station();
    add('a', { 'run:started': () => refuse('no') }, { advisory: true });
    await emitter.emit(started());
    expect(await all(ledger)).toMatchObject([{ status: 'ok', verdict: 'block', message: 'no' }]);
  });

  it('gives a rewritten dispatch back, with who changed it', async () => {
    const { emitter, add } = await station();
    add('a', {
      'turn:dispatched': (payload: EventPayload<'turn:dispatched'>) => ({ ...payload, summary: 'mind the gap' }),
    });
    const event = newEvent('turn:dispatched', { ...sample('turn:dispatched'), event_id: crypto.randomUUID() });
    const { payload, changes } = await emitter.emit(event);
    expect(payload.summary).toBe('mind the gap');
    expect(changes).toMatchObject([{ plugin: 'a' }]);
  });

  it('asked again after a crash is asked under the same keys', async () => {
    const { emitter, add } = await station();
    const keys: (string | null)[] = [];
    add('a', { 'run:started': (_: unknown, { delivery }: { delivery: string | null }) => void keys.push(delivery) });
    const event = started();
    await emitter.emit(event);
    await emitter.emit(event);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });
});

describe('A flood', () => {
  it('of events reaches a slow plugin in order, none lost', async () => {
    const { emitter, lanes, add, ledger } = await station();
    const seen: string[] = [];
    add('p', {
      'turn:accepted': async ({ summary }: EventPayload<'turn:accepted'>) => {
        if (seen.length % 100 === 0) await sleep(1);
        seen.push(String(summary));
      },
    });
    await lanes.start();
    await Promise.all(Array.from({ length: 2000 }, (_, i) => emitter.emit(accepted(String(i)))));
    await lanes.rest();
    expect(seen).toEqual(Array.from({ length: 2000 }, (_, i) => String(i)));
    expect((await all(ledger)).every(({ status }) => status === 'ok')).toBe(true);
  });
});
