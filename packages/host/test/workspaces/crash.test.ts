import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitTurn } from '../../src/workspaces/index.ts';
import { author, git, open, put, read, repository, scratch } from './fixture.ts';
import { journey } from './journey.ts';

const realGit = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
const changing =
  /^(?:worktree|read-tree|update-index|update-ref|symbolic-ref|commit-tree|pack-objects|unpack-objects)$/;

const racing = /^(?:worktree|read-tree)$/;

/**
 * Has another process make the journey, with a git that kills it before or after one of its calls; gives the calls it
 * made.
 */
async function travel(project: string, kill: { at: number; when: 'before' | 'after' }) {
  const bin = scratch();
  const log = join(bin, 'calls');
  const deadly = (when: string) => (when === kill.when ? `[ "$n" = ${kill.at} ] && kill -9 $PPID` : '');
  const script = `#!/bin/sh
for word; do case "$word" in -*) ;; *) break;; esac; done
echo "$word" >> '${log}'
n=$(wc -l < '${log}' | tr -d ' ')
${deadly('before')}
'${realGit}' "$@"
code=$?
${deadly('after')}
exit $code
`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const file = join(import.meta.dirname, 'journey.ts');
  const child = spawn(process.execPath, ['--conditions=patchbay-source', '--no-warnings', file, project], {
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  return { code, signal, calls: readFileSync(log, 'utf8').trim().split('\n') };
}

describe('a host that is killed', () => {
  it('around any call of git that changes something finds its workspaces again, and nothing is lost or done twice', {
    timeout: 180_000,
  }, async () => {
    const template = repository({ 'a.ts': 'a' });
    const whole = repository({ 'a.ts': 'a' });
    const { code, calls } = await travel(whole, { at: 0, when: 'before' });
    expect(code).toBe(0);
    expect(calls).toContain('worktree');
    // Killed before a call, the call itself still runs, beside the next host.
    const kills = calls.flatMap((name, at) => [
      ...(changing.test(name) ? [{ at: at + 1, when: 'after' as const, name }] : []),
      ...(racing.test(name) ? [{ at: at + 1, when: 'before' as const, name }] : []),
    ]);
    const check = async (kill: (typeof kills)[number]) => {
      const project = join(scratch(), 'project');
      cpSync(template, project, { recursive: true });
      expect((await travel(project, kill)).signal).toBe('SIGKILL');
      const run = await journey(project);
      expect({ kill, ...stateOf(project, run.dir) }).toEqual({ kill, ...expected });
    };
    const lanes = Array.from({ length: 3 }, async () => {
      for (let kill = kills.pop(); kill !== undefined; kill = kills.pop()) await check(kill);
    });
    await Promise.all(lanes);
  });

  it('leaves locks of git, half a worktree and a branch, none of which are in the way', async () => {
    const project = repository({ 'a.ts': 'a' });
    const state = join(project, '.patchbay/runs/run-1');
    put(state, { 'work/half.ts': 'x', 'git/index.lock': '', 'git/objects/pack/tmp_pack_x': 'x' });
    utimesSync(join(state, 'git/index.lock'), 0, 0);
    put(project, {
      '.git/worktrees/work/gitdir': `${join(state, 'work/.git')}\n`,
      '.git/worktrees/work/locked': 'initializing',
      '.git/worktrees/away/gitdir': '/mnt/not-mounted/.git\n',
      '.git/refs/heads/patchbay/run-1': `${git(project, 'rev-parse', 'HEAD')}\n`,
    });
    const ws = await open(project);
    expect(git(ws.dir, 'status', '--porcelain')).toBe('');
    expect(read(ws.dir, 'half.ts')).toBeUndefined();
    expect(read(project, '.git/worktrees/away/gitdir')).toBeDefined();
    put(ws.dir, { b: 'b' });
    put(project, { '.git/refs/heads/patchbay/run-1.lock': '', '.git/worktrees/work/index.lock': '' });
    const commit = await commitTurn(ws, { message: 'b', author });
    expect(git(project, 'rev-parse', 'patchbay/run-1')).toBe(commit);
  });
});

const expected = {
  log: 'second\nfirst\nchange',
  head: 'patchbay/run-1',
  status: '',
  worktrees: 3,
  files: ['first/file.ts', 'second/file.ts'],
  problems: '',
};

function stateOf(project: string, dir: string): typeof expected {
  return {
    log: git(project, 'log', '--format=%s', 'patchbay/run-1'),
    head: git(dir, 'rev-parse', '--abbrev-ref', 'HEAD'),
    status: git(dir, 'status', '--porcelain'),
    worktrees: git(project, 'worktree', 'list').split('\n').length,
    files: ['first/file.ts', 'second/file.ts'].map((path) => read(dir, path) ?? 'missing'),
    problems: git(project, 'fsck', '--strict', '--no-dangling'),
  };
}
