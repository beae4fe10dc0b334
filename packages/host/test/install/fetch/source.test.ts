import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSource, sourceText } from '../../../src/install/fetch/source.ts';
import { failureOf, scratch } from './scratch.ts';

describe('a source is', () => {
  const cwd = () =>
    scratch([
      { path: 'my-plugin/plugin.json' },
      { path: 'left-pad/plugin.json' },
      { path: '@scope/name/plugin.json' },
      { path: 'plugin-json-report/plugin.json' },
      { path: 'a.tar.gz' },
      { path: 'b.tgz' },
      { path: 'c.tar' },
      { path: 'd.ZIP' },
    ]);

  it.each([
    ['./my-plugin', 'directory'],
    ['my-plugin', 'directory'],
    ['my-plugin/', 'directory'],
    ['.', 'directory'],
    ['a.tar.gz', 'tar'],
    ['./b.tgz', 'tar'],
    ['c.tar', 'tar'],
    ['d.ZIP', 'zip'],
  ])('%s: a %s, made absolute', (text, kind) => {
    const dir = cwd();
    expect(parseSource(text, dir)).toEqual({ kind, path: join(dir, text).replace(/\/$/, '') });
  });

  it.each([['left-pad'], ['@scope/name'], ['plugin-json-report']])(
    '%s: the path that exists, rather than the package of that name',
    (text) => {
      expect(parseSource(text, cwd()).kind).toBe('directory');
    },
  );

  it.each([
    ['left-pad', 'left-pad', undefined],
    ['left-pad@', 'left-pad', undefined],
    ['left-pad@1.2.3', 'left-pad', '1.2.3'],
    ['left-pad@^1.0.0 || 3', 'left-pad', '^1.0.0 || 3'],
    ['left-pad@next', 'left-pad', 'next'],
    ['@scope/left-pad', '@scope/left-pad', undefined],
    ['@scope/left-pad@~2', '@scope/left-pad', '~2'],
    ['npm:left-pad@1', 'left-pad', '1'],
    ['@agentxchain/plugin-slack-notify@1.2.0', '@agentxchain/plugin-slack-notify', '1.2.0'],
  ])('%s: a package of the registry', (text, name, range) => {
    expect(parseSource(text, scratch())).toEqual({ kind: 'npm', name, range });
  });

  it('npm:NAME the package, even where there is a path of that name', () => {
    expect(parseSource('npm:left-pad', cwd())).toEqual({ kind: 'npm', name: 'left-pad', range: undefined });
    expect(parseSource('builtin:plugin-json-report', cwd())).toEqual({ kind: 'builtin', name: 'plugin-json-report' });
  });

  it.each([
    ['@agentxchain/plugin-slack-notify', 'plugin-slack-notify'],
    ['@agentxchain/plugin-json-report', 'plugin-json-report'],
    ['plugin-slack-notify', 'plugin-slack-notify'],
    ['plugin-json-report', 'plugin-json-report'],
  ])('%s: a package that comes with Patchbay', (text, name) => {
    expect(parseSource(text, scratch())).toEqual({ kind: 'builtin', name });
  });

  it.each([
    ['git+https://example.com/a/b', 'https://example.com/a/b', 'https', undefined],
    ['git+https://example.com/a/b.git#v1.2.0', 'https://example.com/a/b.git', 'https', 'v1.2.0'],
    ['https://example.com/a/b.git', 'https://example.com/a/b.git', 'https', undefined],
    ['https://example.com/a/b.git#feature/x', 'https://example.com/a/b.git', 'https', 'feature/x'],
    ['git+ssh://git@example.com:2222/a/b.git', 'ssh://git@example.com:2222/a/b.git', 'ssh', undefined],
    ['ssh://git@example.com/a/b', 'ssh://git@example.com/a/b', 'ssh', undefined],
    ['git@example.com:a/b.git#0123abc', 'git@example.com:a/b.git', 'ssh', '0123abc'],
    ['git+file:///srv/git/b', 'file:///srv/git/b', 'file', undefined],
  ])('%s: a git repository', (text, url, protocol, committish) => {
    expect(parseSource(text, scratch())).toEqual({ kind: 'git', url, protocol, committish });
  });
});

describe('a source is invalid, and named, if it', () => {
  it.each<[string, string, RegExp]>([
    ['is empty', '', /names no source/],
    ['is blank', '  ', /names no source/],
    ['has a NUL', 'a\0b', /control character/],
    ['is a path with ./ that does not exist', './nothing', /does not exist/],
    ['is a path with ../ that does not exist', '../nothing-there', /does not exist/],
    ['is an absolute path that does not exist', '/nothing/there', /does not exist/],
    ['is a path from home that does not exist', '~/nothing', /does not exist/],
    ['is an archive that does not exist', 'nothing.tgz', /does not exist/],
    ['is a zip that does not exist', 'a/nothing.zip', /does not exist/],
    ['is a file but no archive', 'notes.txt', /is a file, but no/],
    ['is two dots', 'x/../../..nothing', /no name of a package/],
    ['is __proto__', '__proto__', /no name of a package/],
    ['has a slash but no scope', 'user/repository', /no name of a package/],
    ['is too long for a name', 'a'.repeat(215), /no name of a package/],
    ['takes a URL for a range', 'left-pad@https://example.com/x.tgz', /no version, range or tag/],
    ['takes a path for a range', 'left-pad@file:../x', /no version, range or tag/],
    ['is an alias', 'left-pad@npm:other@1', /no version, range or tag/],
    ['is a URL of something else', 'https://example.com/x.tgz', /no URL of a git repository/],
    ['is an unknown built-in', 'builtin:plugin-nothing', /is none of plugin-slack-notify/],
    ['is git without encryption', 'git://example.com/a.git', /only https, ssh and file are safe/],
    ['is git over plain http', 'git+http://example.com/a.git', /only https, ssh and file are safe/],
    ['is plain http that ends with .git', 'http://example.com/a.git', /only https, ssh and file are safe/],
    ['is git with a helper program', 'git+ext::sh -c id', /not a git URL|only https/],
    ['has a host that is an option', 'ssh://-oProxyCommand=id/a.git', /not a git URL|no host/],
    ['has an address that is an option', 'git@-oProxyCommand=id:a.git', /not a git URL|only https/],
    ['has a path that is an option', 'git@example.com:-x', /not a git URL|only https/],
    ['names no repository', 'git+https://example.com', /names no repository/],
    ['names no branch', 'git+https://example.com/a.git#', /branch, tag or commit/],
    ['has an option for a branch', 'git+https://example.com/a.git#--upload-pack=id', /branch, tag or commit/],
    ['has a refspec for a branch', 'git+https://example.com/a.git#a:b', /branch, tag or commit/],
  ])('%s', async (_, text, why) => {
    const error = await failureOf(() => parseSource(text, scratch([{ path: 'notes.txt' }])));
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', exitCode: 2 });
    expect(error.message).toMatch(why);
    expect(error.message).toContain(JSON.stringify(text).slice(1, 20).replace(/"$/, ''));
  });

  it('is neither a file nor a folder', async () => {
    const dir = scratch();
    execFileSync('mkfifo', [join(dir, 'pipe.tar')]);
    const error = await failureOf(() => parseSource('./pipe.tar', dir));
    expect(error.message).toMatch(/neither a file nor a folder/);
  });

  it.each([['git+https://me:hunter2@example.com/a.git'], ['https://hunter2@example.com/a.git#main']])(
    'holds a password, which is not repeated',
    async (text) => {
      const error = await failureOf(() => parseSource(text, scratch()));
      expect(error.code).toBe('SOURCE_INVALID');
      expect(error.message).toContain('contains a password or token');
      expect(JSON.stringify(error)).not.toContain('hunter2');
    },
  );
});

describe('the text of a source', () => {
  it.each([
    ['left-pad', 'npm:left-pad'],
    ['@s/x@^1', 'npm:@s/x@^1'],
    ['@agentxchain/plugin-json-report', 'builtin:plugin-json-report'],
    ['https://example.com/a.git#main', 'git+https://example.com/a.git#main'],
    ['git@example.com:a/b', 'git@example.com:a/b'],
    ['git+file:///srv/a', 'git+file:///srv/a'],
  ])('of %s is %s, and means the same', (text, canonical) => {
    const source = parseSource(text, scratch());
    expect(sourceText(source)).toBe(canonical);
    expect(parseSource(canonical, scratch())).toEqual(source);
  });

  it('of a path is absolute, or relative to the folder that is given', () => {
    const dir = scratch([{ path: 'plugins/a/plugin.json' }, { path: 'app/x' }, { path: 'b.zip' }]);
    const source = parseSource('./plugins/a', dir);
    expect(sourceText(source)).toBe(join(dir, 'plugins/a'));
    expect(sourceText(source, dir)).toBe('./plugins/a');
    expect(sourceText(source, join(dir, 'app'))).toBe('../plugins/a');
    expect(sourceText(source, join(dir, 'plugins/a'))).toBe('./');
    expect(parseSource(sourceText(source, join(dir, 'app')), join(dir, 'app'))).toEqual(source);
  });
});
