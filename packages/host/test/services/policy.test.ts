import { describe, expect, it } from 'vitest';
import type { Rule, ServiceSettings } from '../../src/config/assistant-settings.ts';
import { matches, mostExact } from '../../src/services/globs.ts';
import { rulingOf } from '../../src/services/rules.ts';
import { lenient, Stage, toolPlugin } from './fixture.ts';

const ok = () => ({ result: 'done' });
const seenNothing = { private: false, untrusted: false };
const call = (input: Record<string, unknown>, more: object = {}) => {
  return { tool: 'send_mail', workspace: 'home', input, taint: seenNothing, ...more };
};

describe('the order of policy', () => {
  it('is limit, disabled, tier: a call that is over the limit is told that before all else', async () => {
    const settings = { perHour: 0, tools: { a: { enabled: false } }, tier: 'human-approval' } as const;
    const stage = await Stage.open({ plugins: [toolPlugin('p', { a: ok })], settings });
    expect(await stage.turn().call('a', {})).toEqual({ error: 'no more than 0 calls of tools in 60 minutes' });
  });

  it('a disabled tool is refused without asking anybody, and agents are not told of it', async () => {
    const settings = { tier: 'human-approval', tools: { 'a*': { enabled: false } } } as const;
    const workspaces = [{ folder: 'home', disabledTools: ['b_*'] }];
    const stage = await Stage.open({ plugins: [toolPlugin('p', { a: ok, b_x: ok, c: ok })], settings, workspaces });
    const turn = stage.turn();
    expect((await turn.list()).map(({ name }) => name)).toEqual(['c']);
    expect(await turn.call('a', {})).toEqual({ error: 'tool "a" may not be called: it is disabled in this project' });
    expect(await turn.call('b_x', {})).toEqual({
      error: 'tool "b_x" may not be called: it is disabled in the workspace home',
    });
    expect((await stage.turn({ workspace: 'other' }).list()).map(({ name }) => name)).toEqual(['b_x', 'c']);
    expect(await stage.records()).toMatchObject([
      { tool: 'a', decision: 'refused' },
      { tool: 'b_x', decision: 'refused' },
    ]);
  });
});

describe('tiers', () => {
  const tiers = (settings: Partial<ServiceSettings>) =>
    Stage.open({ plugins: [toolPlugin('p', { a: ok })], settings: { approvalMs: 100, ...settings } });
  const expired = { error: 'tool "a" was not called: patchbay refused it: nobody decided in time' };

  it('always-approve lets a call through', async () => {
    const stage = await tiers({ tier: 'human-approval', tools: { a: { tier: 'always-approve' } } });
    expect(await stage.turn().call('a', {})).toEqual({ result: 'done' });
    expect(await stage.records()).toMatchObject([{ decision: 'allowed', by: 'always-approve' }]);
  });

  it('human-approval asks a person', async () => {
    const stage = await tiers({ tools: { a: { tier: 'human-approval' } } });
    expect(await stage.turn().call('a', {})).toEqual(expired);
  });

  it('rules-engine goes by the first rule that matches', async () => {
    const rules: Rule[] = [
      { name: 'no evil', args: { to: 'evil' }, decision: 'refuse' },
      { tool: 'a', args: { to: '^ann$' }, decision: 'allow' },
      { args: { to: 'ann' }, decision: 'refuse' },
    ];
    const stage = await tiers({ tier: 'rules-engine', rules });
    const turn = stage.turn();
    expect(await turn.call('a', { to: 'ann' })).toEqual({ result: 'done' });
    expect(await turn.call('a', { to: 'evil ann' })).toEqual({ error: 'tool "a" may not be called: rule "no evil"' });
    expect(await turn.call('a', { to: 'annie' })).toEqual({ error: 'tool "a" may not be called: rule 3' });
    expect(await turn.call('a', { to: 'bob' })).toEqual(expired);
  });
});

describe('a rule', () => {
  it.each<[string, Omit<Rule, 'decision'>, ReturnType<typeof call>, boolean]>([
    ['that names nothing matches all', {}, call({}), true],
    ['by the tool', { tool: 'send_*' }, call({}), true],
    ['by another tool', { tool: 'send' }, call({}), false],
    ['by the workspace', { workspace: 'ho*' }, call({}), true],
    ['by another workspace', { workspace: 'work' }, call({}), false],
    [
      'by any workspace does not match a turn that is in none',
      { workspace: '*' },
      call({}, { workspace: null }),
      false,
    ],
    ['by an argument inside of another', { args: { 'to.0.name': '^ann$' } }, call({ to: [{ name: 'ann' }] }), true],
    ['by an argument whose name has dots', { args: { 'a.b': 'x' } }, call({ 'a.b': 'x' }), true],
    ['by a number, as JSON', { args: { n: '^1\\d$' } }, call({ n: 17 }), true],
    ['by an argument that is not there', { args: { cc: '' } }, call({}), false],
    ['by what every object has', { args: { constructor: '' } }, call({}), false],
    ['by what was seen', { taint: ['private'] }, call({}, { taint: { private: true, untrusted: false } }), true],
    [
      'by what was not seen',
      { taint: ['private', 'untrusted'] },
      call({}, { taint: { private: true, untrusted: false } }),
      false,
    ],
    ['by all that it names', { tool: 'send_mail', workspace: 'work' }, call({}), false],
  ])('%s', (_, rule, asked, isMeant) => {
    const ruling = rulingOf([{ ...rule, decision: 'refuse' }], asked);
    expect(ruling.decision).toBe(isMeant ? 'refuse' : 'ask');
  });

  it('that takes too long on a hostile argument, or gets a very long one, leaves it to a person', () => {
    const slow: Rule = { args: { to: '^(a+)+$' }, decision: 'allow' };
    expect(rulingOf([slow], call({ to: `${'a'.repeat(60)}!` }))).toEqual({ decision: 'ask', by: 'rule 1 cannot tell' });
    const short: Rule = { args: { to: '^a*$' }, decision: 'allow' };
    expect(rulingOf([short], call({ to: 'a'.repeat(4096) })).decision).toBe('allow');
    expect(rulingOf([short], call({ to: 'a'.repeat(4097) })).decision).toBe('ask');
  });
});

describe('names with *', () => {
  it.each([
    ['*', 'anything', true],
    ['a*', 'a', true],
    ['a*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a*b*c', 'a-b-b-c', true],
    ['ab*ba', 'aba', false],
    ['a*b*c', 'a-c', false],
    ['a.c', 'abc', false],
  ])('%s means %s: %s', (pattern, name, isMeant) => expect(matches(pattern, name)).toBe(isMeant));

  it('the most exact one counts', () => {
    const said = { '*': 1, 'mail_*': 2, 'mail_s*': 3, mail_send: 4 };
    const names = ['x', 'mail_get', 'mail_see', 'mail_send', 'constructor'];
    expect(names.map((name) => mostExact(said, name))).toEqual([1, 2, 3, 4, 1]);
    expect(mostExact({}, 'constructor')).toBeUndefined();
    expect(lenient.tools).toEqual({});
  });
});
