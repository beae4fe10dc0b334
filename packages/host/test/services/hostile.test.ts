import type { AnyPlugin, ServiceTool } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { type Setting, Stage, toolPlugin } from './fixture.ts';

const good = toolPlugin('good', { fine: () => ({ result: 'fine' }) });
const fine = { result: 'fine' };

/** A stage with a good plugin on either side of a bad one. */
const beside = (bad: AnyPlugin, more: Setting = {}) =>
  Stage.open({ ...more, plugins: [good, bad, toolPlugin('last', { also: () => ({ result: 'also' }) })] });

describe('a handler that', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const cases: [string, ServiceTool, string | RegExp][] = [
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      'tool "bad" of plugin "rogue" failed: boom',
    ],
    ['rejects', () => Promise.reject(new Error('later')), 'tool "bad" of plugin "rogue" failed: later'],
    [
      'throws what is no error',
      () => {
        throw undefined;
      },
      /^tool "bad" of plugin "rogue" failed: /,
    ],
    ['never settles', () => new Promise(() => {}), 'tool "bad" of plugin "rogue" failed: did not answer within 0.2 s'],
    [
      'answers nothing',
      (() => undefined) as never,
      'tool "bad" of plugin "rogue" answered neither { result } nor { error }',
    ],
    ['answers a word', (() => 'ok') as never, 'tool "bad" of plugin "rogue" answered neither { result } nor { error }'],
    [
      'answers an empty object',
      (() => ({})) as never,
      'tool "bad" of plugin "rogue" answered neither { result } nor { error }',
    ],
    [
      'answers an error that is none',
      (() => ({ error: 7 })) as never,
      'tool "bad" of plugin "rogue" answered neither { result } nor { error }',
    ],
    [
      'answers a function',
      () => ({ result: () => 1 }),
      'tool "bad" of plugin "rogue" answered neither { result } nor { error }',
    ],
    [
      'answers what leads back to itself',
      () => ({ result: circle }),
      /^tool "bad" of plugin "rogue" answered what cannot be passed on: /,
    ],
    [
      'answers far too much',
      () => ({ result: 'x'.repeat(2_000_000) }),
      /answered what cannot be passed on: it has more than 1048576 characters$/,
    ],
    [
      'answers what throws when it is looked at',
      (() => ({
        get error(): string {
          throw new Error('trap');
        },
      })) as never,
      /answered what cannot be passed on: trap$/,
    ],
  ];

  it.each(cases)('%s is an error at once, and takes nothing from the others', async (_, handler, said) => {
    const stage = await beside(toolPlugin('rogue', { bad: handler }), { settings: { handlerMs: 200 } });
    const turn = stage.turn();
    const answer = await turn.call('bad', {});
    expect(answer).toEqual({ error: said instanceof RegExp ? expect.stringMatching(said) : said });
    expect(await turn.call('fine', {})).toEqual(fine);
    expect((await stage.records())[0]).toMatchObject({ tool: 'bad', ok: false });
  });
});

describe('a plugin that', () => {
  const giving = (handler: unknown, deadlineMs = 300): AnyPlugin =>
    ({ name: 'rogue', version: '1.0.0', hooks: { serviceTools: { handler, deadlineMs } } }) as unknown as AnyPlugin;

  it.each([
    [
      'throws when it is asked for its tools',
      giving(() => {
        throw new Error('boom');
      }),
    ],
    ['never settles when it is asked', giving(() => new Promise(() => {}))],
    ['gives nonsense', giving(() => ({ bad: 'tool', worse: 7 }))],
    ['gives what is no object', giving(() => 'tools')],
  ])('%s takes nothing from the others', async (_, rogue) => {
    const stage = await beside(rogue);
    const turn = stage.turn();
    expect((await turn.list()).map(({ name }) => name).sort()).toEqual(['also', 'fine']);
    expect(await turn.call('fine', {})).toEqual(fine);
  });

  it('has a schema that is none, or keeps the host busy, harms its own tool only', async () => {
    const tool = (inputSchema: Record<string, unknown>) => ({ handler: () => fine, description: '', inputSchema });
    const stage = await beside(
      toolPlugin('rogue', {
        wrong: tool({ properties: { a: { type: 'nonsense' } } }),
        busy: tool({ properties: { a: { type: 'string', pattern: '^(a+)+$' } } }),
        lost: tool({ properties: { a: { $ref: 'https://example.com/schema.json' } } }),
      }),
    );
    const turn = stage.turn();
    expect(await turn.call('wrong', { a: 1 })).toEqual({
      error: expect.stringMatching(/^the schema of tool "wrong" cannot be used: /),
    });
    expect(await turn.call('lost', { a: 1 })).toEqual({
      error: expect.stringMatching(/^the schema of tool "lost" cannot be used: /),
    });
    expect(await turn.call('busy', { a: `${'a'.repeat(60)}!` })).toEqual({
      error: expect.stringContaining('it takes longer than'),
    });
    expect(await turn.call('fine', {})).toEqual(fine);
  });
});

describe('an agent that', () => {
  it('calls with far too much, or with what is no JSON, is told so', async () => {
    const stage = await Stage.open({ plugins: [good] });
    const turn = stage.turn();
    expect(await turn.call('fine', { a: 'x'.repeat(1024 * 1024) })).toEqual({
      error: 'the input has more than 1048576 characters',
    });
    expect(await turn.call('fine', { a: 1n })).toEqual({ error: expect.stringContaining('cannot be written as JSON') });
  });

  it('is refused over and over does not fill the ledger', async () => {
    const stage = await Stage.open({ plugins: [good], settings: { tools: { fine: { enabled: false } } } });
    const turn = stage.turn();
    for (let n = 0; n < 150; n++) await turn.call('fine', {});
    expect(await stage.records()).toHaveLength(100);
  });

  it('calls when the turn is over gets an error', async () => {
    const stage = await Stage.open({ plugins: [good] });
    const turn = stage.turn();
    await turn.close();
    expect(await turn.call('fine', {})).toEqual({ error: 'the turn is over' });
  });
});

it('a memory or servers that cannot be had are left out and told of once', async () => {
  const parts = {
    memory: () => Promise.reject(new Error('no disk')),
    servers: { list: () => Promise.reject(new Error('no servers')), call: () => Promise.reject(new Error('no')) },
  };
  const stage = await Stage.open({ plugins: [good], parts });
  const turn = stage.turn();
  for (let n = 0; n < 2; n++) expect((await turn.list()).map(({ name }) => name)).toEqual(['fine']);
  expect(stage.warnings.sort()).toEqual([
    'agents have no memory: no disk',
    'the tools of MCP servers cannot be listed: no servers',
  ]);
});
