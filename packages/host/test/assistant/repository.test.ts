import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { Pigeons } from './channel-fixture.ts';
import { Stage, said, workspace } from './fixture.ts';

it('a workspace with access to the repository works in a worktree of it, and goes on with what it did before', async () => {
  const dir = folder({ 'patchbay.yaml': '', '.gitignore': '.patchbay\n', 'notes.txt': 'one\n' });
  const git = (...args: string[]) => execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' });
  git('init', '-q');
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '-qm', 'first');
  const stage = await Stage.set({
    dir,
    workspaces: [workspace('home', { repoAccess: true })],
    play: async ({ workspace: place, goal }) => {
      const file = join(place, 'notes.txt');
      writeFileSync(file, `${readFileSync(file, 'utf8')}${goal}\n`);
      return readFileSync(file, 'utf8').trim().split('\n').join(' ');
    },
  });
  for (const [id, text] of [
    ['m1', 'two'],
    ['m2', 'three'],
  ] as const) {
    await stage.assistant.take('terminal:home', said(id, text));
    await stage.answerTo(id);
  }
  expect(await stage.answerTo('m2')).toBe('one two three');
  expect(readFileSync(join(dir, 'notes.txt'), 'utf8')).toBe('one\n');
  expect(existsSync(join(dir, 'workspaces'))).toBe(false);
  expect(git('branch', '--list', 'patchbay/chat-*').trim().split('\n')).toHaveLength(2);
  await stage.rest();
});

it('people are asked in their chat about a call of a tool, and not at the terminal, which sees it itself', async () => {
  const pigeons = new Pigeons();
  const stage = await Stage.set({
    plugins: [pigeons.plugin],
    workspaces: [workspace('home', { chats: ['pigeon:1'] })],
  });
  const call = { tool: 'mail', workspace: 'home', request_id: 'r', key: 'k', input_sha256: '', input: {} };
  const about = { kind: 'tool', waiting_for: 'It tells the world.', expires_at: null };
  for (const chat_jid of ['terminal:home', 'pigeon:1']) {
    const asked = { ...about, approval_id: `ap-${chat_jid}`, call: { ...call, chat_jid } };
    await stage.ledger.append(newEvent('approval:requested', asked));
  }
  await expect
    .poll(() => pigeons.sent)
    .toEqual(['pigeon:1 Bay: May I use mail? It tells the world.\nSay /approve ap-pigeon:1 or /deny ap-pigeon:1.']);
});
