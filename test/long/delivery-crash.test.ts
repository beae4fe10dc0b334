import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { numbers, seed } from '../crash/chance.ts';
import { expectArrived, expectKept } from '../crash/kept.ts';
import { guarding, noting, posting, scripting } from '../crash/packages.ts';
import { receiver } from '../crash/receiver.ts';
import { Scene } from '../crash/scene.ts';
import { root } from '../project.ts';

const preload = join(root, 'test/long/kill-at.mjs');
const killed = [null, 'SIGKILL'];
const done = [0, null];

process.stderr.write(`CRASH_SEED=${seed}\n`);

describe('a host that is killed at random while events flow', () => {
  it('loses none it has acknowledged and delivers all: again only under the same key, and in order', async () => {
    const total = 10_000;
    const acknowledged = new Set<string>();
    // Acknowledgements and calls of the receiver: there are at least twice as many as events.
    let signs = 0;
    let awake = () => {};
    const sign = () => {
      signs += 1;
      awake();
    };
    const post = await receiver(sign);
    const scene = new Scene([posting(post.url), noting, scripting]);
    // Events are acknowledged in the order in which they were emitted: the number says where to go on.
    const start = () =>
      scene.host(['watched', String(acknowledged.size), String(total)], (line) => {
        if (line.startsWith('ack ')) acknowledged.add(line.slice(4));
        sign();
      });

    const kill = async (moment: Promise<unknown>) => {
      const { child, ended, stderr } = start();
      await Promise.race([moment, ended]);
      child.kill('SIGKILL');
      expect(await ended, stderr()).toEqual(killed);
    };
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        awake = () => signs >= count && resolve();
      });

    // The last of them before all is done; between them some hosts are killed while they start.
    const inFlow = numbers(20, 2 * total - 500).toSorted((a, b) => a - b);
    const atStart = numbers(20, 1_500, 1);
    for (const [i, count] of inFlow.entries()) {
      if (i % 2 === 0) await kill(sleep(atStart[i]));
      await kill(until(count));
    }
    const { ended, stderr } = start();
    expect(await ended, stderr()).toEqual(done);

    const looked = scene.look();
    expect(acknowledged.size).toBe(total);
    expectKept(acknowledged, looked, ['note', 'post', 'shell']);
    expect(looked.deliveries).toHaveLength(2 * total);
    expect(looked.deliveries.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(post.wrong).toEqual([]);
    const repeats = {
      post: expectArrived('post', post.calls, looked),
      note: expectArrived('note', scene.notes('module'), looked),
      shell: expectArrived('shell', scene.notes('script'), looked),
    };
    await scene.deserted();
    expect(scene.litter()).toEqual([]);
    process.stderr.write(`${scene.lives - 1} kills; repeated: ${JSON.stringify(repeats)}\n`);
  });
});

describe('a host that is killed at any change it makes to the files of a new project', () => {
  it('leaves nothing that the next one does not take over or take away', async () => {
    const post = await receiver();
    const whole = new Scene([posting(post.url), noting, scripting]);
    const first = whole.host(['watched', '0', '3'], () => {}, ['--import', preload], { KILL_AT: '0' });
    expect(await first.ended, first.stderr()).toEqual(done);
    const steps = Number(/steps (\d+)/.exec(first.stderr())?.[1]);
    expect(steps).toBeGreaterThan(5);
    expect(whole.litter()).toEqual([]);

    const litter: Record<string, string[]> = {};
    for (let at = 1; at <= steps; at++) {
      const scene = new Scene([posting(post.url), noting, scripting]);
      const crash = scene.host(['watched', '0', '3'], () => {}, ['--import', preload], { KILL_AT: String(at) });
      expect(await crash.ended, `step ${at}: ${crash.stderr()}`).toEqual(killed);
      const next = scene.host(['watched', '0', '3'], () => {});
      expect(await next.ended, `after step ${at}: ${next.stderr()}`).toEqual(done);
      await scene.deserted();
      if (scene.litter().length > 0) litter[`step ${at}`] = scene.litter();
    }
    process.stderr.write(`${steps} moments\n`);
    expect(litter).toEqual({});
  });
});

describe('a host that is killed while somebody waits for its answer', () => {
  it('asks again under the same key when the event is emitted again, and the event is there once', async () => {
    // More than can be answered before the last kill.
    const total = 40;
    const answers = new Map<string, string>();
    const scene = new Scene([guarding]);
    // After the guard was asked for the first time in a life: while it thinks, or when it has answered a few.
    const moments = numbers(12, 300, 2);
    const start = () =>
      scene.host(['awaited', String(answers.size), String(total)], (line) => {
        const [answer = '', id = ''] = line.split(' ');
        if (answer !== 'ready') answers.set(id, answer);
      });
    for (const ms of moments) {
      const notes = watch(join(scene.project, 'notes'));
      const { child, ended, stderr } = start();
      await Promise.race([once(notes, 'change'), ended]);
      notes.close();
      await sleep(ms);
      child.kill('SIGKILL');
      expect(await ended, stderr()).toEqual(killed);
    }
    const { ended, stderr } = start();
    expect(await ended, stderr()).toEqual(done);

    const looked = scene.look();
    expect(answers.size).toBe(total);
    expectKept(answers.keys(), looked, ['guard']);
    const expected = [...answers].map(([id, answer]) => {
      return { key: `${id}.1`, awaited: true, status: answer === 'ack' ? 'ok' : 'refused' };
    });
    expect(looked.deliveries).toMatchObject(expected);
    expect(new Set(answers.values())).toEqual(new Set(['ack', 'refused']));
    const asked = scene.notes('process').map(({ key }) => key);
    expect([...new Set(asked)]).toEqual(expected.map(({ key }) => key));
    process.stderr.write(`${moments.length} kills; asked again: ${asked.length - total}\n`);
    expect(asked.length).toBeGreaterThan(total);
    await scene.deserted();
    expect(scene.litter()).toEqual([]);
  });
});

describe('the command', () => {
  it('that replays a delivery may be killed at random: what is owed is made, nothing else again', async () => {
    let called = () => {};
    const post = await receiver(() => called());
    const scene = new Scene([posting(post.url)]);
    const filling = scene.host(['watched', '0', '20'], () => {});
    expect(await filling.ended, filling.stderr()).toEqual(done);
    const replay = (id: string) => scene.command(['deliveries', 'replay', id]);
    const { deliveries } = scene.look();
    const [spare, ...others] = deliveries;
    const began = performance.now();
    const first = replay(spare?.id ?? '');
    expect(await first.ended, first.stderr()).toEqual(done);
    const usualMs = performance.now() - began;

    const moments = numbers(16, Math.ceil(usualMs), 3);
    const replayed = new Set([spare?.key]);
    for (const [i, ms] of moments.entries()) {
      const { id = '', key } = others[i % 10] ?? {};
      replayed.add(key);
      const { child, ended, stderr } = replay(id);
      // Every other one just when the delivery is made: it may or may not be written down yet.
      const made = new Promise<void>((resolve) => {
        called = resolve;
      });
      await Promise.race([i % 2 === 0 ? sleep(ms) : made, ended]);
      child.kill('SIGKILL');
      expect([killed, done], stderr()).toContainEqual(await ended);
    }
    // Each waits for its own only; what a killed one left owed is there to be replayed.
    const owed = scene.look().deliveries.filter(({ status }) => status === 'owed');
    for (const { id } of [...owed, { id: spare?.id ?? '' }]) {
      const last = replay(id);
      expect(await last.ended, last.stderr()).toEqual(done);
    }

    const looked = scene.look();
    expect(looked.verified.ok).toBe(true);
    expect(looked.deliveries.map(({ status }) => status)).toEqual(deliveries.map(() => 'ok'));
    const counts = Map.groupBy(post.calls, ({ key }) => key);
    expect([...counts.keys()].toSorted()).toEqual(deliveries.map(({ key }) => key).toSorted());
    for (const { key } of deliveries) if (!replayed.has(key)) expect(counts.get(key), key).toHaveLength(1);
    process.stderr.write(`${moments.length} kills of replay; calls: ${post.calls.length}\n`);
    await scene.deserted();
    expect(scene.litter()).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('that follows events ends in good order at %s', async (signal) => {
    const scene = new Scene([guarding]);
    const filling = scene.host(['awaited', '0', '2'], () => {});
    expect(await filling.ended, filling.stderr()).toEqual(done);
    const heard = Promise.withResolvers<string>();
    const { child, ended, stderr } = scene.command(['events', '--follow', '--json'], (line) => {
      if (line.includes('event-00001')) heard.resolve(line);
    });
    const line = await Promise.race([heard.promise, ended]);
    expect(line, stderr()).toContain('turn:dispatched');
    child.kill(signal);
    expect(await ended).toEqual([130, null]);
    expect(stderr()).toBe('');
    expect(scene.litter()).toEqual([]);
  });
});
