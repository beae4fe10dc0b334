import { describe, expect, it } from 'vitest';
import { type Change, mayWrite, outside, type Workspace } from '../../src/workspaces/index.ts';

function change(path: string, more: Partial<Change> = {}): Change {
  return { path, kind: 'modified', from: null, special: null, ...more };
}

describe('the write scope of a role', () => {
  it.each([
    ['src/**', 'src/a.ts', true],
    ['src/**', 'src/deep/er/a.ts', true],
    ['src/**', 'src/.env', true],
    ['src/**', 'src/.hidden/a', true],
    ['src/**', 'srcs/a.ts', false],
    ['src/**', 'lib/src/a.ts', false],
    ['src/**', '../src/a.ts', false],
    ['src/*', 'src/a.ts', true],
    ['src/*', 'src/deep/a.ts', false],
    ['*.md', 'README.md', true],
    ['*.md', 'docs/README.md', false],
    ['**/*.md', 'README.md', true],
    ['**/*.md', 'docs/deep/x.md', true],
    ['**', 'anything/at/all', true],
    ['**', '.github/workflows/ci.yml', true],
    ['**', '../elsewhere', false],
    ['**', '/etc/passwd', false],
    ['.github/**', '.github/x', true],
    ['src', 'src', true],
    ['src', 'src/deep/a.ts', true],
    ['src/', 'src/deep/a.ts', true],
    ['src/', 'src', false],
    ['./src/**', 'src/a.ts', true],
    ['src/*/', 'src/a/b.ts', true],
    ['src/*/', 'src/a.ts', false],
    ['src/{a,b}.ts', 'src/b.ts', true],
    ['src/[ab].ts', 'src/c.ts', false],
    ['src/?.ts', 'src/a.ts', true],
    ['!src/**', 'docs/a', false],
    ['#x', '#x', true],
    ['a b/**', 'a b/c', true],
    ['grüße/**', 'gru\u0308ße/x', true],
    ['SRC/**', 'src/a.ts', false],
    ['--help', '--help', true],
    ['*', '.env', true],
    ['.github', '.github/ci.yml', true],
    ['{.github,src}/**', '.github/ci.yml', true],
    ['src/.*', 'src/.new', true],
    ['s[qr]c/?new', 'src/.new', true],
    ['[!.]*', '.env', false],
    ['', 'a', false],
    ['/', 'etc', false],
  ])('%s with %s: %s', (glob, path, covered) => {
    expect(outside([change(path)], [glob])).toHaveLength(covered ? 0 : 1);
  });

  it('is empty without globs', () => {
    expect(outside([change('a')], [])).toHaveLength(1);
  });

  it('is the sum of its globs', () => {
    expect(outside([change('a.ts'), change('b.md'), change('c')], ['*.ts', '*.md'])).toEqual([change('c')]);
  });

  it('must cover both names of a renamed file', () => {
    const renamed = change('src/new.ts', { kind: 'renamed', from: 'lib/old.ts' });
    expect(outside([renamed], ['src/**'])).toEqual([renamed]);
    expect(outside([renamed], ['lib/**'])).toEqual([renamed]);
    expect(outside([renamed], ['src/**', 'lib/**'])).toEqual([]);
  });

  it('never covers what is special', () => {
    const special = (['protected', 'link-out', 'repository', 'large', 'unusable'] as const).map((one) => {
      return change(one, { special: one });
    });
    expect(outside(special, ['**'])).toEqual(special);
  });
});

describe('what a role may write, asked before', () => {
  const worktree = { kind: 'worktree', repository: null } as Workspace;
  const inside = { kind: 'worktree', repository: { prefix: 'app/' } } as Workspace;
  const folder = { kind: 'folder', repository: null } as Workspace;

  it.each([
    [worktree, ['src/**'], 'src/a.ts', true],
    [worktree, ['src/**'], 'docs/a.md', false],
    [worktree, ['**'], '.git/config', false],
    [worktree, ['**'], 'lib/.GIT/hooks/x', false],
    [worktree, ['**'], '.gitignore', true],
    [worktree, ['**'], '.patchbay/ledger.db', false],
    [worktree, ['**'], '.agentxchain/plugins/x', false],
    [worktree, ['**'], 'patchbay.yaml', true],
    [folder, ['**'], 'patchbay.yaml', false],
    [inside, ['**'], '.patchbay/x', false],
    [inside, ['src/**'], 'src/a.ts', true],
    [worktree, [], 'a', false],
  ])('%o, %j: %s %s', (ws, writes, path, may) => {
    expect(mayWrite(ws, writes, path)).toBe(may);
  });
});
