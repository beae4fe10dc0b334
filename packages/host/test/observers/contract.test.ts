import { readFileSync } from 'node:fs';
import { sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { pluginText } from '../../../../test/project.ts';
import { openStore } from '../../../../test/store.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { Bench, moduleForm } from '../host/fixture.ts';
import { ledgerFile, said } from '../ledger/scratch.ts';
import { observing, watching } from './fixture.ts';

const chat = { chat_jid: 'terminal:home' };

describe('an observer', () => {
  it('is subscribed at start, and closed at the end', async () => {
    const { observer, calls } = watching('one', []);
    const { observers } = await observing({ one: () => observer });
    expect(calls).toEqual(['subscribe']);
    await observers.close();
    expect(calls).toEqual(['subscribe', 'close']);
  });

  it('of each plugin takes part; a plugin may have none', async () => {
    const all = ['a', 'b'].map((name) => watching(name, ['message:received']));
    const { ledger } = await observing({ a: () => all[0]?.observer, none: () => null, b: () => all[1]?.observer });
    await ledger.append(said('hello'));
    await eventually(() => expect(all.map(({ told }) => told.length)).toEqual([1, 1]));
  });

  it.each([
    [
      'MessageEvent',
      'message:received',
      { ...chat, sender_name: 'Ada', content: 'hi', timestamp: '2026-01-01T00:00:00Z', is_bot: false },
    ],
    [
      'MessageEvent',
      'message:sent',
      { ...chat, sender_name: 'Patchbay', content: 'hello', timestamp: '2026-01-01T00:00:00Z', is_bot: true },
    ],
    ['AgentActivityEvent', 'agent:activity', { ...chat, active: true }],
    ['AgentTraceEvent', 'agent:trace', { ...chat, trace_type: 'thinking', data: { text: 'hm' } }],
    ['ChatClearedEvent', 'chat:cleared', chat],
  ] as const)('is told %s for %s, with exactly the fields of the document', async (name, event, fields) => {
    const { observer, told } = watching('one', [name]);
    const { ledger } = await observing({ one: () => observer });
    const { event_id: _, at: __, ...rest } = sample(event) as Record<string, unknown>;
    await ledger.append(newEvent(event, { ...rest, ...fields } as never));
    await eventually(() => expect(told).toEqual([[name, fields]]));
  });

  it('is told of all other events too, by their names or by *', async () => {
    const { observer, told } = watching('one', ['run:started', '*']);
    const { ledger } = await observing({ one: () => observer });
    await ledger.append(sample('run:started'));
    await ledger.append({ ...sample('gate:pending'), event_id: 'another' });
    await eventually(() => expect(told).toHaveLength(3));
    expect(told.map(([name, { event }]) => [name, event])).toEqual([
      ['run:started', 'run:started'],
      ['*', 'run:started'],
      ['*', 'gate:pending'],
    ]);
  });

  it('is told what came of a delivery, by that name only', async () => {
    const { observer, told } = watching('one', ['delivery:settled', '*']);
    const { ledger } = await observing({ one: () => observer });
    const { deliveries } = await ledger.append(said('x'), [{ plugin: 'p', handler: 'h' }]);
    await ledger.settle(deliveries[0]?.id ?? '', { status: 'failed', message: 'no' });
    await eventually(() => expect(told.filter(([name]) => name === 'delivery:settled')).toHaveLength(1));
    expect(told.find(([name]) => name === 'delivery:settled')?.[1]).toMatchObject({ plugin: 'p', status: 'failed' });
    expect(told.filter(([name]) => name === '*')).toHaveLength(1);
  });

  it('is told one thing after the other, in order, each once, whoever appended it', async () => {
    const file = ledgerFile();
    const ledger = await openStore(file);
    const other = await openStore(file);
    let busy = 0;
    let most = 0;
    const { observer, told } = watching('one', {
      '*': async () => {
        most = Math.max(most, ++busy);
        await new Promise(setImmediate);
        busy--;
      },
    });
    const { observers } = await observing({ one: () => observer }, { ledger });
    for (let i = 0; i < 100; i++) await (i % 2 === 0 ? ledger : other).append(said(`${i}`));
    await observers.close();
    expect(told.map(([, { content }]) => content)).toEqual(Array.from({ length: 100 }, (_, i) => `${i}`));
    expect(most).toBe(1);
    await ledger.close();
    await other.close();
  });

  it('is told nothing of what was before it came, nor after it has unsubscribed', async () => {
    const seen: unknown[] = [];
    let off = () => {};
    const observer = {
      name: 'one',
      subscribe: (bus: { subscribe: (name: string, hear: (it: object) => void) => () => void }) => {
        off = bus.subscribe('*', (it) => seen.push((it as { content: string }).content));
      },
      close: async () => {},
    };
    const { ledger: store } = await observing({});
    await store.append(said('before'));
    const { observers } = await observing({ one: () => observer }, { ledger: store });
    await store.append(said('now'));
    await eventually(() => expect(seen).toEqual(['now']));
    off();
    await store.append(said('after'));
    await observers.close();
    expect(seen).toEqual(['now']);
  });

  it('has taken everything that was appended before it is closed, however many there are', async () => {
    const { observer, told } = watching('slow', { '*': () => new Promise((done) => setImmediate(done)) });
    const { observers, ledger } = await observing({ slow: () => observer });
    await Promise.all(Array.from({ length: 10_000 }, (_, i) => ledger.append(said(`${i}`))));
    await observers.close();
    expect(told).toHaveLength(10_000);
  });

  it('of an installed plugin, in a process of its own, is told as the others are', async () => {
    const bench = new Bench('patchbay');
    const text = `import { appendFileSync } from 'node:fs';
      ${pluginText(
        'far',
        '',
        `provides: { observer: ({ project }) => ({
          name: 'far',
          subscribe: async (bus) => {
            await bus.subscribe('MessageEvent', ({ content }) => appendFileSync(project + '/seen.txt', content + ' '));
          },
          close: async () => appendFileSync('${bench.file('seen.txt')}', 'closed'),
        }) }`,
      )}`;
    await bench.install('far', moduleForm('far', ['observer'], text, { files: { write: ['.'] } }));
    const { host, emit } = await bench.start();
    expect(host.quarantined).toEqual([]);
    await emit('message:received', { content: 'one' });
    await emit('message:sent', { content: 'two' });
    await host.close();
    expect(readFileSync(bench.file('seen.txt'), 'utf8')).toBe('one two closed');
  });
});

describe('a bad observer takes nothing from the others, and its plugin is named:', () => {
  const good = () => watching('good', ['*']);
  const object = (its: object) => () => ({ name: 'bad', subscribe: () => {}, close: async () => {}, ...its });
  const hears = (listener: () => unknown) =>
    object({ subscribe: (bus: { subscribe: (n: string, l: unknown) => void }) => bus.subscribe('*', listener) });
  const never = () => new Promise(() => {});
  it.each<[string, () => unknown, RegExp]>([
    [
      'a hook that throws',
      () => {
        throw new Error('out of paper');
      },
      /"bad".*out of paper/,
    ],
    ['a hook that never answers', never, /"bad".*did not answer/],
    ['a number', () => 7, /"bad"/],
    ['an object without members', () => ({ name: 'x' }), /"bad".*subscribe/],
    [
      'one that throws when it subscribes',
      object({
        subscribe: () => {
          throw new Error('not today');
        },
      }),
      /"bad" is left out: not today/,
    ],
    ['one that never has subscribed', object({ subscribe: never }), /"bad" is left out: did not answer/],
    [
      'one that subscribes without end',
      object({
        subscribe: (bus: { subscribe: (n: string, l: unknown) => void }) => {
          for (;;) bus.subscribe('*', () => {});
        },
      }),
      /too many subscriptions/,
    ],
    [
      'one that subscribes to nonsense',
      object({ subscribe: (bus: { subscribe: (n: unknown, l: unknown) => void }) => bus.subscribe(7, 'x') }),
      /subscribe takes the name/,
    ],
    [
      'a listener that throws',
      hears(() => {
        throw new Error('cannot listen');
      }),
      /"bad": cannot listen/,
    ],
    [
      'a listener that rejects',
      hears(async () => {
        throw new Error('cannot listen');
      }),
      /"bad": cannot listen/,
    ],
    ['a listener that never is done', hears(never), /"bad": did not answer.*told nothing more/],
    ['one that never is closed', object({ close: never }), /"bad": did not close/],
  ])('%s', async (_, bad, message) => {
    const fine = good();
    const { observers, ledger, warnings } = await observing({ bad, good: () => fine.observer }, { listenerMs: 100 });
    for (let i = 0; i < 5; i++) await ledger.append(said(`${i}`));
    await eventually(() => expect(fine.told).toHaveLength(5));
    await observers.close();
    expect(fine.calls).toEqual(['subscribe', 'close']);
    expect(warnings.join('\n')).toMatch(message);
  });
});
