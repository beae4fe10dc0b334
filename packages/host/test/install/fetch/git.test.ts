import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Repository } from './git-repository.ts';
import { bring, refusalOf, scratch, tree } from './scratch.ts';

const plugin = [
  { path: 'plugin.json', content: '{}' },
  { path: 'run.sh', content: 'x', mode: 0o755 },
];

describe('a git repository', () => {
  it('is brought at its head, without .git, and says which commit that was', async () => {
    const repository = new Repository(plugin);
    const commit = repository.git('rev-parse', 'HEAD');
    const staged = await bring(repository.url);
    expect(staged).toMatchObject({
      source: repository.url,
      resolved: { commit, exact: `${repository.url}#${commit}` },
    });
    expect(tree(staged.dir)).toEqual(['plugin.json: 644 {}', 'run.sh: 755 x']);
  });

  it('is brought at a branch, a tag, a commit or part of its name', async () => {
    const repository = new Repository(plugin);
    const first = repository.commit([{ path: 'version', content: '1' }]);
    repository.git('tag', '--annotate', '--message=one', 'v1.0.0');
    repository.git('branch', 'feature/one');
    const second = repository.commit([{ path: 'version', content: '2' }]);
    for (const [name, commit] of [
      ['v1.0.0', first],
      ['feature/one', first],
      [first, first],
      [first.slice(0, 10), first],
      ['main', second],
    ]) {
      const staged = await bring(`${repository.url}#${name}`);
      expect(staged.source).toBe(`${repository.url}#${name}`);
      expect(staged.resolved.commit).toBe(commit);
      expect(tree(staged.dir)).toContain(`version: 644 ${commit === first ? 1 : 2}`);
    }
  });

  it('runs none of its scripts, hooks or filters, nor those of the user', async () => {
    const marks = scratch();
    const touch = (name: string) => `touch ${join(marks, name)}`;
    const repository = new Repository([
      ...plugin,
      {
        path: 'package.json',
        content: JSON.stringify({
          name: 'my-plugin',
          version: '1.0.0',
          scripts: { prepare: touch('prepare'), postinstall: touch('postinstall'), build: touch('build') },
          workspaces: ['x'],
        }),
      },
      { path: '.gitattributes', content: '* filter=evil\n' },
      { path: '.githooks/post-checkout', content: `#!/bin/sh\n${touch('repository-hook')}\n`, mode: 0o755 },
    ]);
    const home = scratch([
      {
        path: '.gitconfig',
        content: `[core]\nhooksPath = ${scratch()}\n[filter "evil"]\nsmudge = ${touch('filter')} && cat\nrequired = true\n`,
      },
      { path: 'template/hooks/post-checkout', content: `#!/bin/sh\n${touch('template-hook')}\n`, mode: 0o755 },
    ]);
    using _ = environment({ HOME: home, GIT_TEMPLATE_DIR: join(home, 'template'), GIT_DIR: join(home, 'nothing') });
    const { dir } = await bring(repository.url);
    expect(tree(dir)).toContain('plugin.json: 644 {}');
    expect(readdirSync(marks)).toEqual([]);
  });

  it('gives the same files to everybody, whatever their git is set to', async () => {
    const repository = new Repository([{ path: 'text', content: 'a\nb\n' }]);
    const home = scratch([{ path: '.gitconfig', content: '[core]\nautocrlf = true\nsymlinks = false\n' }]);
    using _ = environment({ HOME: home });
    expect(tree((await bring(repository.url)).dir)).toEqual(['text: 644 a\nb\n']);
  });

  it('may have links inside, which become copies, and none that lead out', async () => {
    const repository = new Repository(plugin);
    symlinkSync('plugin.json', join(repository.dir, 'same.json'));
    repository.commit([]);
    expect(tree((await bring(repository.url)).dir)).toContain('same.json: 644 {}');
    symlinkSync('/etc/passwd', join(repository.dir, 'out'));
    repository.commit([]);
    const error = await refusalOf(repository.url);
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('"out"') });
    expect(error.message).toContain(repository.url);
  });

  it('is refused if it has a submodule', async () => {
    const repository = new Repository(plugin);
    const commit = repository.git('rev-parse', 'HEAD');
    repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
    repository.git('commit', '--quiet', '--message=sub');
    const error = await refusalOf(repository.url);
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('it is a submodule') });
  });

  it('is refused before a file that is too large is written anywhere', async () => {
    const repository = new Repository([...plugin, { path: 'zeros', content: Buffer.alloc(30 * 1024 * 1024) }]);
    const error = await refusalOf(repository.url);
    expect(error.message).toMatch(/entry "zeros" is refused: it is larger than 26214400 bytes/);
  });

  it('is stopped while it comes if it is too large', async () => {
    const repository = new Repository([{ path: 'noise', content: randomBytes(20 * 1024 * 1024) }]);
    const error = await refusalOf(repository.url, { limits: { bytes: 1024 * 1024 } });
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('larger than 1048576') });
  });
});

describe('a git repository is invalid if', () => {
  it.each([
    ['a branch', 'nothing'],
    ['a commit', '0123456789012345678901234567890123456789'],
    ['part of a commit', 'abcdef0'],
  ])('it has no such thing: %s', async (_, name) => {
    const error = await refusalOf(`${new Repository(plugin).url}#${name}`);
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('no such branch') });
  });

  it('it does not exist, or is no repository', async () => {
    const missing = await refusalOf('git+file:///nothing/there');
    expect(missing).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('does not exist') });
    const plain = await refusalOf(`git+file://${scratch(plugin)}`);
    expect(plain).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('not a git repository') });
  });
});

describe('git is unavailable if', () => {
  it('it is not installed', async () => {
    const { url } = new Repository(plugin);
    using _ = environment({ PATH: scratch() });
    const error = await refusalOf(url);
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', exitCode: 1 });
    expect(error.hint).toMatch(/Install git/);
  });

  it('the server cannot be reached', async () => {
    const error = await refusalOf('git+https://127.0.0.1:1/a.git');
    expect(error.code).toBe('SOURCE_UNAVAILABLE');
    expect(error.message).toContain('git+https://127.0.0.1:1/a.git');
  });

  it('it takes too long; then it is killed with all it has started', async () => {
    const { url } = new Repository(plugin);
    const pids = join(scratch(), 'pids');
    const text = `#!/bin/sh\nsleep 60 &\necho $! $$ > ${pids}\nwait\n`;
    const dir = scratch([{ path: 'git', content: text, mode: 0o755 }]);
    using _ = environment({ PATH: `${dir}${delimiter}${process.env['PATH']}` });
    const error = await refusalOf(url, { timeoutMs: 500 });
    expect(error.message).toMatch(/git took longer than 0\.5 s/);
    const started = readFileSync(pids, 'utf8').trim().split(' ');
    expect(started).toHaveLength(2);
    await expect.poll(() => started.filter(isAlive)).toEqual([]);
  });
});

it('nothing of git is left in the folder for temporary files', async () => {
  const temp = scratch();
  await bring(new Repository(plugin).url, { temp });
  expect(readdirSync(temp)).toEqual([]);
});

/** Whether a process is there, and not just waiting to be buried. */
function isAlive(pid: string): boolean {
  try {
    return !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Changes the environment of this process for a while. */
function environment(changes: Readonly<Record<string, string>>): Disposable {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, changes);
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
