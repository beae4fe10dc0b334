import type { ServiceRequest } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { hiding } from '../../src/log/redact.ts';
import { Stage, toolPlugin } from './fixture.ts';

const anybody = { by: 'ann', comment: null } as const;

describe('the document says of service handlers', () => {
  it('"Mapping of tool_name to async handler function": a tool is called by its name', async () => {
    const list_calendar = async () => ({ result: ['lunch'] });
    const stage = await Stage.open({ plugins: [toolPlugin('calendar', { list_calendar })] });
    expect(await stage.turn().call('list_calendar', {})).toEqual({ result: ['lunch'] });
  });

  it('"includes type, request_id, and tool-specific fields": which the fields cannot take the place of', async () => {
    const seen: ServiceRequest[] = [];
    const create_event = async (request: ServiceRequest) => {
      seen.push(request);
      return { result: null };
    };
    const stage = await Stage.open({ plugins: [toolPlugin('calendar', { create_event })] });
    await stage.turn().call('create_event', { title: 'lunch', type: 'delete_event', request_id: 'mine' });
    const [record] = await stage.records();
    expect(seen).toEqual([{ type: 'create_event', request_id: record?.request_id, title: 'lunch' }]);
    expect(record?.request_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('"{result} on success or {error} on failure": either is passed on', async () => {
    const stage = await Stage.open({
      plugins: [
        toolPlugin('calendar', { good: () => ({ result: { n: 1 } }), bad: async () => ({ error: 'no such day' }) }),
      ],
    });
    expect(await stage.turn().call('good', {})).toEqual({ result: { n: 1 } });
    expect(await stage.turn().call('bad', {})).toEqual({ error: 'no such day' });
    expect((await stage.records()).map(({ tool, ok, error }) => [tool, ok, error])).toEqual([
      ['good', true, null],
      ['bad', false, 'no such day'],
    ]);
  });

  it('"All results collected; tool mappings are merged (last-write-wins on conflict)", and the conflict is told once', async () => {
    const one = toolPlugin('one', { shared: () => ({ result: 1 }), a: () => ({ result: 'a' }) });
    const two = toolPlugin('two', { shared: () => ({ result: 2 }), b: () => ({ result: 'b' }) });
    const stage = await Stage.open({ plugins: [one, two] });
    const turn = stage.turn();
    expect(await turn.call('shared', {})).toEqual({ result: 2 });
    expect(await turn.call('a', {})).toEqual({ result: 'a' });
    expect(await turn.call('b', {})).toEqual({ result: 'b' });
    expect(stage.warnings).toEqual(['tool "shared" comes from several: plugin "two" is used, not plugin "one"']);
  });

  it('"Policy middleware is enforced before dispatching to the plugin": a handler is not called before a person has approved', async () => {
    let calls = 0;
    const delete_event = () => ({ result: ++calls });
    const stage = await Stage.open({
      plugins: [toolPlugin('calendar', { delete_event })],
      settings: { tier: 'human-approval' },
    });
    const called = stage.turn().call('delete_event', { id: 7 });
    const { approval_id, tool, workspace, input } = await stage.waiting();
    expect([calls, tool, workspace, input]).toEqual([0, 'delete_event', 'home', { id: 7 }]);
    await stage.services.decide(approval_id, { decision: 'approved', ...anybody });
    expect(await called).toEqual({ result: 1 });
    expect(await stage.records()).toMatchObject([{ decision: 'approved', by: 'ann', approval_id, ok: true }]);
  });
});

describe('a tool', () => {
  it('that is a bare function takes any object and is described by its name', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { 'list_my-events': () => ({ result: 1 }) })] });
    expect(await stage.turn().list()).toEqual([
      { name: 'list_my-events', description: 'list my events', inputSchema: { type: 'object' } },
    ]);
  });

  it('that has a schema is called with what fits it only, and all that is wrong is told at once', async () => {
    const add = {
      handler: ({ a, b }: ServiceRequest) => ({ result: Number(a) + Number(b) }),
      description: 'Adds',
      inputSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
    };
    const stage = await Stage.open({ plugins: [toolPlugin('p', { add })], settings: { perHour: 1 } });
    const turn = stage.turn();
    expect(await turn.call('add', { a: 'x', bb: 2 })).toEqual({
      error:
        'the input of tool "add" is wrong: "b" is required; "bb" is not known; did you mean "b"?; "a" must be number',
    });
    expect(await turn.call('add', [] as never)).toEqual({ error: 'the input must be an object' });
    expect(await turn.call('add', { a: 1, b: 2 })).toEqual({ result: 3 });
  });

  it('that is not there is an error which names the nearest', async () => {
    const stage = await Stage.open({ plugins: [toolPlugin('p', { list_calendar: () => ({ result: 1 }) })] });
    expect(await stage.turn().call('list_calender', {})).toEqual({
      error: 'there is no tool "list_calender"; did you mean "list_calendar"?',
    });
  });

  it('whose name no agent could be told is left out and told of', async () => {
    const stage = await Stage.open({
      plugins: [toolPlugin('p', { 'a b': () => ({ result: 1 }), c: () => ({ result: 1 }) })],
    });
    expect((await stage.turn().list()).map(({ name }) => name)).toEqual(['c']);
    expect(stage.warnings).toEqual(['plugin "p": a tool cannot be called "a b"; it is left out']);
  });

  it('gets the input as it was when it was called, whatever the caller makes of it afterwards', async () => {
    const stage = await Stage.open({
      plugins: [toolPlugin('p', { echo: ({ to }) => ({ result: to }) })],
      settings: { tier: 'human-approval' },
    });
    const input = { to: 'ann' };
    const called = stage.turn().call('echo', input);
    const { approval_id } = await stage.waiting();
    input.to = 'everybody';
    await stage.services.decide(approval_id, { decision: 'approved', ...anybody });
    expect(await called).toEqual({ result: 'ann' });
  });
});

it('secrets of a plugin do not come out of its tools, nor get into the record', async () => {
  const edition = { version: null, digest: null, hide: hiding(['hunter22']), rights: null };
  const stage = await Stage.open({
    plugins: [
      toolPlugin('p', {
        tell: () => ({ result: { password: ['it is hunter22'] } }),
        fail: () => {
          throw new Error('hunter22 was wrong');
        },
      }),
    ],
    edition,
  });
  expect(await stage.turn().call('tell', { try: 'hunter22' })).toEqual({ result: { password: ['it is ***'] } });
  expect(await stage.turn().call('fail', {})).toEqual({ error: 'tool "fail" of plugin "p" failed: *** was wrong' });
  expect(JSON.stringify(await stage.records())).not.toContain('hunter22');
});

it('servers are not asked, nor started, for a call that cannot be theirs', async () => {
  let asked = 0;
  const servers = {
    list: async () => {
      asked++;
      return [];
    },
    call: () => Promise.reject(new Error('no')),
  };
  const stage = await Stage.open({ plugins: [toolPlugin('p', { a: () => ({ result: 1 }) })], parts: { servers } });
  expect(await stage.turn().call('a', {})).toEqual({ result: 1 });
  expect(asked).toBe(0);
  await stage.turn().call('x__y', {});
  expect(asked).toBeGreaterThan(0);
});
