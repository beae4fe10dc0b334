import type { ServiceTool, ToolTrait } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { newEvent } from '../../src/ledger/index.ts';
import { type Setting, Stage, toolPlugin } from './fixture.ts';

const traited = (trait: ToolTrait, result: object = { result: 'ok' }): ServiceTool => ({
  handler: () => result as { result: unknown },
  description: trait,
  inputSchema: {},
  traits: [trait],
});

const tools = {
  read_mail: traited('reads-private'),
  read_web: traited('reads-untrusted'),
  bad_mail: traited('reads-private', { error: 'no mail' }),
  post: traited('public-sink'),
};

const open = (more: Setting = {}) =>
  Stage.open({ plugins: [toolPlugin('p', tools)], ...more, settings: { approvalMs: 50, ...more.settings } });

const passes = async (turn: ReturnType<Stage['turn']>) => 'result' in (await turn.call('post', {}));

describe('a chat that has seen private data and content of others', () => {
  it('needs a person to tell the outside, whatever the tier', async () => {
    const stage = await open();
    const turn = stage.turn();
    expect(await passes(turn)).toBe(true);
    await turn.call('read_mail', {});
    expect(await passes(turn)).toBe(true);
    await turn.call('read_web', {});
    expect(await passes(turn)).toBe(false);
    const [asked] = await stage.events('approval:requested');
    expect(asked?.payload).toMatchObject({
      waiting_for: 'this chat has seen private data and content of others, and the tool tells the outside',
      call: { tool: 'post', chat_jid: 'terminal:home' },
    });
  });

  it('is so in its next turns, and other chats are not', async () => {
    const stage = await open();
    await stage.turn().call('read_mail', {});
    await stage.turn({ key: 'run2/turn/1', run_id: 'run2' }).call('read_web', {});
    expect(await passes(stage.turn({ key: 'run3/turn/1', run_id: 'run3' }))).toBe(false);
    expect(await passes(stage.turn({ chat_jid: 'terminal:work' }))).toBe(true);
  });

  it('is so after a restart', async () => {
    const stage = await open();
    await stage.turn().call('read_mail', {});
    await stage.turn().call('read_web', {});
    await stage.end();
    await stage.begin();
    expect(await passes(stage.turn())).toBe(false);
  });

  it('is not any more when it is cleared, after a restart neither', async () => {
    const stage = await open();
    for (const name of ['read_mail', 'read_web']) await stage.turn().call(name, {});
    await stage.ledger.append(newEvent('chat:cleared', { chat_jid: 'terminal:home' }));
    expect(await passes(stage.turn())).toBe(true);
    await stage.turn().call('read_web', {});
    expect(await passes(stage.turn())).toBe(true);
    await stage.end();
    await stage.begin();
    expect(await passes(stage.turn())).toBe(true);
    await stage.turn().call('read_mail', {});
    expect(await passes(stage.turn())).toBe(false);
  });

  it('is so after a restart although it was cleared before, and another chat is after', async () => {
    const stage = await open();
    const clear = (chat_jid: string) => stage.ledger.append(newEvent('chat:cleared', { chat_jid }));
    await clear('terminal:home');
    for (const name of ['read_mail', 'read_web']) await stage.turn().call(name, {});
    await stage.end();
    await stage.begin();
    await clear('terminal:work');
    expect(await passes(stage.turn())).toBe(false);
  });

  it('is still refused what a rule refuses', async () => {
    const settings = { tools: { post: { tier: 'rules-engine' } }, rules: [{ decision: 'refuse' }] } as const;
    const stage = await open({ settings });
    for (const name of ['read_mail', 'read_web']) await stage.turn().call(name, {});
    expect(await stage.turn().call('post', {})).toEqual({ error: 'tool "post" may not be called: rule 1' });
  });
});

it('a call that came to nothing has shown nothing', async () => {
  const stage = await open();
  await stage.turn().call('bad_mail', {});
  await stage.turn().call('read_web', {});
  expect(await passes(stage.turn())).toBe(true);
});

it('what a tool does is as the project says, if it does', async () => {
  const settings = {
    tools: { read_web: { traits: ['reads-private', 'reads-untrusted'] }, read_mail: { traits: [] } },
  } as const;
  const stage = await open({ settings });
  await stage.turn().call('read_mail', {});
  expect(await passes(stage.turn())).toBe(true);
  await stage.turn().call('read_web', {});
  expect(await passes(stage.turn())).toBe(false);
});

it('where there is no chat, it is the run that has seen it', async () => {
  const stage = await open();
  const inRun = (run_id: string) => stage.turn({ run_id, key: `${run_id}/t/1`, chat_jid: null, workspace: null });
  for (const name of ['read_mail', 'read_web']) await inRun('one').call(name, {});
  expect(await passes(inRun('one'))).toBe(false);
  expect(await passes(inRun('two'))).toBe(true);
});
