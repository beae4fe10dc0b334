import { describe, expect, it } from 'vitest';
import { Conversation, type Shown } from '../src/chat/conversation.ts';
import { Flow, harmless, Look } from '../src/chat/render.ts';
import { helpText, meant, readLine, slashes } from '../src/chat/slash.ts';

const plain = new Look(false, () => 40);
const coloured = new Look(true, () => 40);

describe('a line that is typed', () => {
  it.each([
    ['hello there', { kind: 'words', text: 'hello there' }],
    ['//etc is a folder', { kind: 'words', text: '/etc is a folder' }],
    ['/approve', { kind: 'command', name: 'approve', args: '' }],
    ['/deny  abc not today ', { kind: 'command', name: 'deny', args: 'abc not today' }],
    ['/aprove abc', { kind: 'wrong', hint: 'there is no /aprove; did you mean "/approve"?' }],
  ])('%s', (line, read) => expect(readLine(line)).toEqual(read));

  it('that is no command at all shows which there are', () => {
    expect(readLine('/xyzzyplugh')).toMatchObject({ hint: expect.stringContaining('/pending') });
    expect(readLine('/')).toMatchObject({ kind: 'wrong' });
    expect(readLine('/toString')).toMatchObject({ kind: 'wrong' });
  });

  it('is helped with every command', () => {
    for (const name of Object.keys(slashes)) expect(helpText()).toContain(`/${name}`);
  });
});

describe('the call that is meant', () => {
  const calls = ['ab1', 'ab12', 'c3'].map((approval_id) => ({ approval_id }));
  it.each([
    ['c', { approval_id: 'c3' }],
    ['ab1', { approval_id: 'ab1' }],
    ['ab', expect.stringContaining('2 wait')],
    ['', expect.stringContaining('3 wait')],
    ['x', expect.stringContaining('nothing waits under x')],
  ])('by "%s"', (id, is) => expect(meant(calls, id)).toEqual(is));
});

describe('how things look', () => {
  it('has no colours where there are none', () => {
    expect(plain.said({ who: 'Ada', text: 'hi', is_bot: false })).toBe('Ada: hi');
    expect(coloured.said({ who: 'Ada', text: 'hi', is_bot: false })).toBe('\u001b[32mAda:\u001b[39m hi');
  });

  it('never lets a message command the terminal', () => {
    const text = 'a\u001b[2Jb\u0007c\u009bd\re\tf\r\ng';
    expect(harmless(text)).toBe('a[2Jbcde  f\ng');
    expect(plain.said({ who: 'x\u001b[2J', text, is_bot: true })).not.toContain('\u001b');
    expect(plain.aside(text)).not.toContain('\u001b');
  });

  it('shows a call that waits as a block with what to type', () => {
    const call = { approval_id: 'abc', tool: 'send_mail', workspace: 'home', input: { to: 'x'.repeat(60) } };
    const shown = plain.asked({ ...call, expires_at: '2026-01-01T00:15:00Z' }, new Date('2026-01-01T00:00:00Z'));
    expect(shown.split('\n')).toEqual([
      '┌ send_mail wants to be called, within 15 min 0 s',
      '│ {',
      `│   "to": "${'x'.repeat(27)}…`,
      '│ }',
      '└ approve? /approve abc or /deny abc',
    ]);
  });
});

describe('a text that comes in pieces', () => {
  it('is shown line by line, and what has come of the next', () => {
    const flow = new Flow();
    expect(flow.add('one\ntw', 20)).toEqual(['one']);
    expect(flow.tail).toBe('tw');
    expect(flow.add('o\n', 20)).toEqual(['two']);
    expect(flow.end()).toEqual([]);
  });

  it('is cut between words where it is wider than the terminal', () => {
    const flow = new Flow();
    const lines = [...flow.add('some words that ', 12), ...flow.add('are too many for it', 12), ...flow.end()];
    expect(lines.join(' ')).toBe('some words that are too many for it');
    for (const line of lines) expect(line.length).toBeLessThan(12);
  });

  it('is cut anywhere if it is one word', () => {
    const flow = new Flow();
    expect([...flow.add('x'.repeat(30), 11), ...flow.end()].join('')).toBe('x'.repeat(30));
  });
});

describe('what is seen of a chat', () => {
  let seq = 0;
  const event = (type: string, payload: object, run_id: string | null = null, id = `e${++seq}`) => {
    return { seq, id, type, at: '', run_id, payload: { chat_jid: 'terminal:home', ...payload } };
  };
  const trace = (text: string) => event('agent:trace', { trace_type: 'text', data: { text } });
  const sent = (content: string) => event('message:sent', { sender_name: 'P', content, answers: 'm1' });
  const kinds = (shown: readonly Shown[]) => shown.map(({ kind }) => kind);

  it('is nothing of other chats, of what was typed here, nor of what is known', () => {
    const chat = new Conversation('home', ['known']);
    chat.typed('id1');
    expect(chat.take(event('message:received', { chat_jid: 'terminal:x', content: 'a' }))).toEqual([]);
    const own = event('message:received', { message_id: 'id1', content: 'a' });
    expect(chat.take(own)).toEqual([{ kind: 'own', event_id: own.id }]);
    expect(chat.take(event('message:received', { content: 'a' }, null, 'known'))).toEqual([]);
    const other = event('message:received', { message_id: 'id2', sender_name: 'Bob', content: 'b' });
    expect(chat.take(other)).toEqual([{ kind: 'said', who: 'Bob', text: 'b', is_bot: false }]);
  });

  it.each([
    ['all of it', ['Hel', 'lo.'], 'Hello.', ''],
    ['its beginning', ['Hel'], 'Hello.', 'lo.'],
    ['its end, after other words', ['I look.\n', 'Hello.'], 'Hello.', ''],
    ['nothing', [], 'Hello.', 'Hello.'],
    ['something else', ['Hm.'], 'Hello.', 'Hello.'],
  ])('is of an answer what was not shown as it came: %s', (_, pieces, content, rest) => {
    const chat = new Conversation('home');
    chat.take(event('agent:activity', { active: true }, 'r1'));
    chat.take(event('run:completed', {}, 'r1'));
    for (const piece of pieces) expect(kinds(chat.take(trace(piece)))).toEqual(['piece']);
    expect(chat.take(sent(content))).toEqual([
      { kind: 'answer', who: 'P', text: content, rest, answers: 'm1', failed: false },
    ]);
    expect(chat.take(sent(content))).toMatchObject([{ rest: content }]);
  });

  it('is each call of a tool, in a line', () => {
    const chat = new Conversation('home');
    const use = (data: object) => chat.take(event('agent:trace', { trace_type: 'tool_use', data }));
    expect(use({ tool: 'memory_save', decision: 'allowed', ok: true, input: '{"key":"a"}' })).toEqual([
      { kind: 'tool', text: 'memory_save → done  {"key":"a"}' },
    ]);
    expect(use({ tool: 't', decision: 'refused', by: 'ada', ok: false })).toMatchObject([
      { text: 't → refused by ada' },
    ]);
    expect(use({ tool: 't', decision: 'allowed', ok: false, error: 'no' })).toMatchObject([{ text: 't → failed: no' }]);
  });

  it('is what is asked of people, in this workspace', () => {
    const chat = new Conversation('home');
    const call = { tool: 't', workspace: 'home', input: {} };
    const asked = (more: object) =>
      event('approval:requested', { approval_id: 'a1', expires_at: null, call: { ...call, ...more } });
    expect(kinds(chat.take(asked({})))).toEqual(['asked']);
    expect(chat.take(asked({ workspace: 'x' }))).toEqual([]);
    const decided = { approval_id: 'a1', call, decision: 'approved', approver: 'bob' };
    expect(chat.take(event('approval:decided', decided))).toEqual([
      { kind: 'decided', id: 'a1', tool: 't', decision: 'approved', by: 'bob' },
    ]);
    expect(chat.take(event('approval:requested', { approval_id: 'a2' }))).toEqual([]);
  });

  it('is of an answer whether it is one: its run was completed', () => {
    const chat = new Conversation('home');
    const answered = () => chat.take(sent('x')).map((shown) => shown.kind === 'answer' && shown.failed);
    const working = (run_id: string) => chat.take(event('agent:activity', { active: true }, run_id));
    working('r1');
    chat.take(event('run:held', {}, 'r1'));
    chat.take(event('run:completed', {}, 'r0'));
    expect(answered()).toEqual([true]);
    working('r2');
    chat.take(event('run:completed', {}, 'r2'));
    // The host was started again before it could answer.
    working('r2');
    expect(answered()).toEqual([false]);
    // What the host itself answers needs no run.
    expect(answered()).toEqual([false]);
  });

  it('is that it was cleared, and whether somebody works', () => {
    const chat = new Conversation('home');
    expect(chat.take(event('chat:cleared', {}))).toEqual([{ kind: 'cleared' }]);
    expect(chat.take(event('agent:activity', { active: false }))).toEqual([{ kind: 'working', active: false }]);
  });
});
