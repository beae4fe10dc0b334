import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChatServer } from './chat-server.ts';
import { command, Tmux, type Window } from './tmux.ts';

/** A project that this process says to be the host of. */
class Project {
  readonly dir = mkdtempSync(join(tmpdir(), 'patchbay-chat-'));
  readonly server = new ChatServer();

  async start(): Promise<void> {
    await this.server.start();
    const state = join(this.dir, '.patchbay');
    mkdirSync(state, { recursive: true });
    writeFileSync(join(this.dir, 'patchbay.yaml'), 'plugins: {}\n');
    writeFileSync(join(state, 'api-token'), 'secret\n', { mode: 0o600 });
    writeFileSync(join(state, 'host.pid'), `${process.pid}\nserving\n${this.server.locate()?.url}\n`);
  }
}

/** Opens a chat in a terminal. */
async function chatting(): Promise<{ project: Project; window: Window }> {
  const project = new Project();
  const tmux = new Tmux();
  onTestFinished(async () => {
    tmux.close();
    await project.server.stop();
    rmSync(project.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  await project.start();
  const window = tmux.window('chat', project.dir);
  window.enter(`${command} chat --by ada`);
  await window.sees(/^home> ?$/m);
  return { project, window };
}

const count = (text: string, what: string) => text.split(what).length - 1;

describe('a chat at a terminal', () => {
  it('shows what is said, each thing once, and the line that is typed below', async () => {
    const { project, window } = await chatting();
    window.enter('hello');
    await window.sees('Patchbay: you said hello');
    window.type('half a li');
    await window.sees('home> half a li');
    const { server } = project;
    const bob = { chat_jid: 'terminal:home', sender_name: 'Bob', content: 'I am here too', is_bot: false };
    server.happen('message:received', bob);
    await window.sees(/Bob: I am here too\nhome> half a li$/);
    window.enter('ne');
    await window.sees('Patchbay: you said half a line');
    expect(count(window.text, 'home> half a line')).toBe(1);
    expect(count(window.text, 'you said hello')).toBe(1);
    expect(count(window.text, 'Bob:')).toBe(1);
    window.press('C-d');
    await window.sees(/^\$ ?$/m);
  });

  it('shows an answer as it comes, and not again', async () => {
    const { project, window } = await chatting();
    const { server } = project;
    let asked = '';
    server.heed = (_, id) => {
      asked = id;
    };
    window.enter('tell me');
    await expect.poll(() => asked).not.toBe('');
    const chat_jid = 'terminal:home';
    const piece = (text: string) => server.happen('agent:trace', { chat_jid, trace_type: 'text', data: { text } });
    server.happen('agent:activity', { chat_jid, active: true }, { run_id: 'r1' });
    await window.sees(/… working, \d+ s\nhome>/);
    piece('First line.\nSecond li');
    await window.sees(/First line\.\nSecond li\nhome> ?$/);
    const data = { tool: 'memory_save', decision: 'allowed', ok: true };
    server.happen('agent:trace', { chat_jid, trace_type: 'tool_use', data });
    piece('ne.');
    await window.sees('memory_save → done');
    server.happen('agent:activity', { chat_jid, active: false }, { run_id: 'r1' });
    server.answer('First line.\nSecond line.', asked);
    await window.sees(/\nne\.\nhome> ?$/);
    expect(window.text).not.toContain('working');
    expect(count(window.text, 'First line.')).toBe(1);
  });

  it('asks whether a tool may be called, and takes the answer', async () => {
    const { project, window } = await chatting();
    const { server } = project;
    const call = { approval_id: 'ab12', tool: 'write_note', workspace: 'home', input: { text: 'x' }, expires_at: null };
    server.pending.push(call);
    server.happen('approval:requested', { approval_id: 'ab12', expires_at: null, call });
    await window.sees('└ approve? /approve ab12 or /deny ab12');
    window.enter('/approve');
    await window.sees('write_note is approved');
    expect(server.decisions).toEqual([{ id: 'ab12', decision: 'approved', by: 'ada' }]);
    window.enter('/aprove');
    await window.sees('did you mean "/approve"?');
  });

  it('takes lines that go on, drops one by Ctrl-C, leaves by the second, and remembers what was typed', async () => {
    const { project, window } = await chatting();
    window.enter('one\\');
    await window.sees(/^\.\.\.\.> ?$/m);
    window.enter('two');
    await window.sees('Patchbay: you said one\ntwo');
    window.type('never mind');
    await window.sees('home> never mind');
    window.press('C-c');
    await window.sees(/^home> ?$/m);
    window.press('Up');
    await window.sees(/home> two$/);
    window.press('C-c', 'C-c');
    await window.sees(/^\$ ?$/m);
    expect(project.server.events.some(({ payload }) => String(payload['content']).includes('never'))).toBe(false);
    expect(readFileSync(join(project.dir, '.patchbay/chat-history'), 'utf8')).toBe('one\\\ntwo\n');
    window.enter(`clear; ${command} chat --by ada; echo left with $?`);
    await window.sees(/ada: one\ntwo\nPatchbay: you said one\ntwo\nhome> ?$/);
    window.press('Up');
    await window.sees(/home> two$/);
    window.press('C-u', 'C-c');
    await window.sees('Ctrl-C once more leaves.');
    window.enter('/quit');
    await window.sees('left with 0');
  });
});
