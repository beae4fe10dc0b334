import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnv } from './command.ts';
import { command, Tmux } from './tmux.ts';

/** A fresh project with an assistant, and a terminal to look at it. */
function fresh(): { dir: string; tmux: Tmux } {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-assistant-'));
  const tmux = new Tmux();
  onTestFinished(() => {
    tmux.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  execFileSync('sh', ['-c', `${command} init --template assistant`], { cwd: dir, env: cleanEnv() });
  return { dir, tmux };
}

const count = (text: string, what: string) => text.split(what).length - 1;
const hostOf = (dir: string) => Number.parseInt(readFileSync(join(dir, '.patchbay/host.pid'), 'utf8'), 10);

describe('an assistant, from a fresh project on', () => {
  it('remembers, recalls, asks before it calls a tool, and goes on where the host was killed', async () => {
    const { dir, tmux } = fresh();
    const host = tmux.window('host', dir);
    const serve = `${command} serve --port 0 --webhook-port 0`;
    host.enter(serve);
    await host.sees('The API is at');
    const chat = tmux.window('chat', dir);
    chat.enter(`${command} chat --by ada`);
    await chat.sees(/^home> ?$/m);

    chat.enter('remember that the spare key is under the blue pot');
    await chat.sees('Patchbay: I will remember that the spare key is under the blue pot');
    expect(chat.text).toContain('· memory_save');
    chat.enter('what did I say about the key?');
    await chat.sees('- the spare key is under the blue pot');

    chat.enter('note buy milk');
    await chat.sees(/└ approve\? \/approve \S+ or \/deny/);
    process.kill(hostOf(dir), 'SIGKILL');
    await chat.sees('The host is gone');
    chat.enter('what did I say about the pot?');
    host.enter(serve);
    await chat.sees('The host is back.');
    chat.enter('/approve');
    await chat.sees('Patchbay: I wrote it down in NOTES.md: buy milk');
    // What was said while nobody was there comes after it.
    await chat.sees(/buy milk\n(?:.*\n)*Patchbay: You told me:\n- the spare key/);
    expect(readFileSync(join(dir, 'NOTES.md'), 'utf8')).toBe('- buy milk\n');
    expect(count(chat.text, 'Patchbay: I wrote it down')).toBe(1);
    expect(count(chat.text, 'Patchbay: You told me:')).toBe(2);

    chat.enter('note never');
    await chat.sees(/"text": "never"/);
    chat.enter('/deny not today');
    await chat.sees(/That did not work: .*not today/);
    chat.enter('/clear');
    await chat.sees('what was said before is forgotten');
    chat.enter('/quit');
    chat.enter(`clear; echo 'what did I say about the pot?' | ${command} chat; echo left with $?`);
    await chat.sees(/You told me:\n- the spare key is under the blue pot\nleft with 0/);
    expect(readFileSync(join(dir, 'NOTES.md'), 'utf8')).toBe('- buy milk\n');
  });

  it('is its own host where none serves', async () => {
    const { dir, tmux } = fresh();
    const chat = tmux.window('chat', dir);
    chat.enter(`${command} chat --by ada`);
    await chat.sees('this chat is its host until you leave');
    await chat.sees(/^home> ?$/m);
    chat.enter('remember that tea is at four');
    await chat.sees('Patchbay: I will remember that tea is at four');
    chat.press('C-d');
    await chat.sees(/^\$ ?$/m);
    chat.enter(`clear; echo 'when is tea?' | ${command} chat; echo left with $?`);
    await chat.sees(/- tea is at four\nleft with 0/);
    chat.enter(`clear; ${command} status; ${command} status --chats`);
    await chat.sees(/^No runs\.\n(?:.*\n)*chat-.* completed/m);
  });
});
