import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitTurn, observe, outside, patch, restore, snapshot } from '../../src/workspaces/index.ts';
import { author, git, open, put, read, repository, scratch, told } from './fixture.ts';

describe('protected places', () => {
  it('of the repository count, though they are not in the worktree, and are put back', async () => {
    const project = repository();
    const ws = await open(project);
    const [config, hook] = [join(project, '.git/config'), join(project, '.git/hooks/pre-commit')];
    const before = await snapshot(ws);
    git(ws.dir, 'config', 'core.fsmonitor', 'evil');
    mkdirSync(join(project, '.git/hooks'), { recursive: true });
    writeFileSync(hook, 'evil', { mode: 0o755 });
    put(project, { '.git/info/attributes': '* filter=evil' });
    writeFileSync(join(ws.dir, '.git'), `gitdir: ${scratch()}\n`);
    const changes = await observe(ws, before);
    expect(told(changes)).toEqual([
      'modified .git (protected)',
      `modified ${config} (protected)`,
      `added ${hook} (protected)`,
      `added ${join(project, '.git/info/attributes')} (protected)`,
    ]);
    expect(outside(changes, ['**'])).toEqual(changes);
    expect(await restore(ws, changes, before)).toEqual([]);
    expect(await observe(ws, before)).toEqual([]);
    expect(git(ws.dir, 'status', '--porcelain')).toBe('');
    const kept = readdirSync(join(ws.state, 'taken-back')).map((name) => name.replace(/^\d+-/, ''));
    expect(kept.sort()).toEqual(['attributes', 'config', 'pre-commit']);
  });

  it('do not count the branches that people make meanwhile', async () => {
    const project = repository();
    const ws = await open(project);
    const before = await snapshot(ws);
    git(project, 'config', 'branch.feature.remote', 'origin');
    expect(await observe(ws, before)).toEqual([]);
    git(project, 'config', 'alias.x', '!evil');
    expect(await observe(ws, before)).toHaveLength(1);
  });

  it.each(['worktree', 'folder'])('of Patchbay count in a %s', async (kind) => {
    const project = kind === 'worktree' ? repository() : scratch();
    const names = [
      '.patchbay/plugins/p/index.js',
      '.agentxchain/plugins/q/run.sh',
      '.patchbay/ledger.db',
      'patchbay.lock',
    ];
    put(project, Object.fromEntries(names.map((name) => [name, 'x'])));
    const ws = await open(project);
    const before = await snapshot(ws);
    appendFileSync(join(project, '.patchbay/ledger.db'), 'the host itself writes');
    put(project, { '.patchbay/memory/home.db': 'so it does here', '.patchbay/x': 'and a plugin here' });
    expect(await observe(ws, before)).toEqual([]);
    put(project, { [names[0] ?? '']: 'y', '.patchbay/plugins/p/new.js': '', 'patchbay.lock': 'y' });
    rmSync(join(project, names[1] ?? ''));
    put(project, { 'other.db': '' });
    renameSync(join(project, 'other.db'), join(project, '.patchbay/ledger.db'));
    const changes = await observe(ws, before);
    const shown = (path: string) => (kind === 'worktree' ? join(project, path) : path);
    expect(told(changes)).toEqual([
      `deleted ${shown('.agentxchain/plugins/q/run.sh')} (protected)`,
      `modified ${shown('.patchbay/ledger.db')} (protected)`,
      `modified ${shown('.patchbay/plugins/p/index.js')} (protected)`,
      `added ${shown('.patchbay/plugins/p/new.js')} (protected)`,
      `modified ${shown('patchbay.lock')} (protected)`,
    ]);
    // A person may have done it: nothing is put back over it, but what git would have put back anyway.
    const left = told(await restore(ws, changes, before));
    expect(left).toEqual(told(changes).filter((change) => kind === 'worktree' || !change.includes('patchbay.lock')));
    expect(read(project, '.patchbay/plugins/p/new.js')).toBe('');
  });

  it('count in the worktree too, ignored or not, and are put back where git has them', async () => {
    const project = repository({ '.gitignore': '.patchbay\n', '.agentxchain/plugins/q/run.sh': 'x' });
    const ws = await open(project);
    const before = await snapshot(ws);
    put(ws.dir, { '.patchbay/plugins/evil.js': 'x', '.agentxchain/plugins/q/run.sh': 'evil' });
    const changes = await observe(ws, before);
    expect(told(changes)).toEqual([
      'modified .agentxchain/plugins/q/run.sh (protected)',
      'added .patchbay/plugins/evil.js (protected)',
    ]);
    expect(await restore(ws, changes, before)).toEqual([]);
    expect(read(ws.dir, '.agentxchain/plugins/q/run.sh')).toBe('x');
    expect(existsSync(join(ws.dir, '.patchbay/plugins/evil.js'))).toBe(false);
  });

  it('include the project file where the workspace is the project', async () => {
    const project = scratch();
    put(project, { 'patchbay.yaml': 'plugins: []\n' });
    const ws = await open(project);
    const before = await snapshot(ws);
    put(project, { 'patchbay.yaml': 'plugins: [./evil.js]\n' });
    const changes = await observe(ws, before);
    expect(told(changes)).toEqual(['modified patchbay.yaml (protected)']);
    expect(await restore(ws, changes, before)).toEqual([]);
    expect(read(project, 'patchbay.yaml')).toBe('plugins: []\n');
  });
});

describe('an agent that plays tricks with git', () => {
  it('hides nothing by commits, branches or flags of the index', async () => {
    const ws = await open(repository({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' }));
    const before = await snapshot(ws);
    put(ws.dir, { 'a.ts': 'committed', 'b.ts': 'assumed', 'c.ts': 'skipped' });
    git(ws.dir, 'commit', '--quiet', '--message=mine', 'a.ts');
    git(ws.dir, 'update-index', '--assume-unchanged', 'b.ts');
    git(ws.dir, 'update-index', '--skip-worktree', 'c.ts');
    git(ws.dir, 'checkout', '--quiet', '--detach');
    expect(told(await observe(ws, before))).toEqual(['modified a.ts', 'modified b.ts', 'modified c.ts']);
  });

  it('has nothing of its own run by the host', async () => {
    const marks = scratch();
    const project = repository({ 'a.txt': 'a\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' });
    const evil = (name: string) => `touch ${join(marks, name)}; cat`;
    const settings: Record<string, string> = {
      'filter.evil.clean': evil('clean'),
      'filter.evil.smudge': evil('smudge'),
      'filter.evil.required': 'true',
      'diff.evil.textconv': evil('textconv'),
      'diff.evil.command': evil('command'),
      'diff.external': evil('external'),
      'core.fsmonitor': evil('fsmonitor'),
      'core.hooksPath': join(project, 'hooks'),
      'commit.gpgSign': 'true',
      'gpg.program': evil('gpg'),
      'core.editor': evil('editor'),
    };
    for (const [name, value] of Object.entries(settings)) git(project, 'config', name, value);
    const hooks = ['post-checkout', 'pre-commit', 'post-commit', 'reference-transaction', 'post-index-change'];
    mkdirSync(join(project, 'hooks'));
    for (const name of hooks) {
      writeFileSync(join(project, 'hooks', name), `#!/bin/sh\n${evil(name)}\n`);
      chmodSync(join(project, 'hooks', name), 0o755);
    }
    const ws = await open(project, { dirty: 'refuse' }).catch(() => open(project, { dirty: 'ignore' }));
    const before = await snapshot(ws);
    put(ws.dir, { 'a.txt': 'changed\n', 'b.txt': 'b\n' });
    put(ws.mirror, { config: `[filter "evil"]\n\tclean = ${evil('mirror')}\n`, commondir: '../../../../.git\n' });
    await patch(ws, before);
    await restore(ws, (await observe(ws, before)).slice(0, 1), before);
    expect(await commitTurn(ws, { message: 'x', author })).not.toBeNull();
    expect(readdirSync(marks)).toEqual([]);
  });
});
