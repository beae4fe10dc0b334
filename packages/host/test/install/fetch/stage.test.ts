import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PatchbayError } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { builtins, parseSource } from '../../../src/install/fetch/source.ts';
import { stage } from '../../../src/install/fetch/stage.ts';
import { integrityOf } from '../../../src/install/integrity.ts';
import { Repository } from './git-repository.ts';
import { archive, kinds } from './kinds.ts';
import { registry } from './npm-registry.ts';
import { bring, failureOf, type Item, refusalOf, scratch, tree } from './scratch.ts';
import { tarOf, tgzOf } from './tar-file.ts';
import { zipOf } from './zip-file.ts';

const plugin: Item[] = [
  { path: 'agentxchain-plugin.json', content: '{"name":"my-plugin"}\n' },
  { path: 'package.json', content: '{"name":"my-plugin","version":"1.2.0"}\n' },
  { path: 'hooks/on-accept.sh', content: '#!/bin/sh\nexit 0\n', mode: 0o755 },
  { path: 'hooks/données/été.txt', content: 'été' },
  { path: 'lib/deep/er/large.bin', content: Buffer.alloc(200_000, 'large') },
  { path: 'lib/empty' },
  { path: '.npmignore', content: 'lib\n' },
  { path: '.gitignore', content: 'lib/empty\n' },
  { path: 'lib/windows.txt', content: 'a\r\nb\r\n' },
];

describe('the same plugin', () => {
  const inTop = plugin.map((item) => ({ ...item, path: `package/${item.path}` }));

  it('has the same integrity from a folder, tar.gz, tar, zip, the registry and git', async () => {
    const url = await registry('my-plugin', { '1.2.0': tgzOf(inTop) });
    const sources = {
      folder: scratch([...plugin, { path: '.git/HEAD', content: 'x' }, { path: 'node_modules/x/y', content: 'z' }]),
      'tar.gz with a top folder': archive('a.tar.gz', tgzOf(inTop)),
      'tar without': archive('a.tar', tarOf(plugin)),
      'tgz, made in another order': archive('a.tgz', gzipSync(tarOf(plugin.toReversed()))),
      'zip with a top folder': archive('a.zip', zipOf(inTop)),
      'zip without, stored': archive('b.zip', zipOf(plugin.map((item) => ({ ...item, method: 0 })))),
      registry: 'my-plugin@^1.0.0',
      git: new Repository(plugin).url,
    };
    const expected = await integrityOf(scratch(plugin));
    for (const [how, source] of Object.entries(sources)) {
      const { dir } = await bring(source, { registry: url });
      expect([how, await integrityOf(dir)]).toEqual([how, expected]);
    }
  });

  it.each(Object.keys(kinds))('is brought from a %s again by what a lock file would say', async (kind) => {
    const base = scratch();
    const staged = await bring(kinds[kind]?.(plugin) ?? '', { base });
    const again = await bring(staged.source, { cwd: base, base });
    const exactly = await bring(staged.resolved.exact, { cwd: base, base });
    expect(again).toEqual({ ...staged, dir: again.dir });
    expect(await integrityOf(again.dir)).toBe(await integrityOf(staged.dir));
    expect(await integrityOf(exactly.dir)).toBe(await integrityOf(staged.dir));
  });
});

describe('a package that comes with Patchbay', () => {
  const folder = () => scratch([{ path: 'plugin-json-report/agentxchain-plugin.json', content: '{}' }]);

  it.each([['@agentxchain/plugin-json-report'], ['plugin-json-report']])(
    'is brought by its documented name %s without a registry',
    async (name) => {
      const staged = await bring(name, { builtins: folder(), registry: 'http://127.0.0.1:1/', cwd: scratch() });
      expect(tree(staged.dir)).toEqual(['agentxchain-plugin.json: 644 {}']);
      expect(staged.source).toBe('builtin:plugin-json-report');
    },
  );

  it('is invalid where it is missing, or nobody says where they are', async () => {
    expect(Object.keys(builtins)).toEqual(['plugin-slack-notify', 'plugin-json-report']);
    const missing = await refusalOf('builtin:plugin-slack-notify', { builtins: folder() });
    expect(missing).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('plugin-slack-notify') });
    expect(await refusalOf('builtin:plugin-slack-notify')).toMatchObject({ code: 'SOURCE_INVALID' });
  });
});

describe('the folder a package is brought to', () => {
  const source = () => parseSource(scratch(plugin), '/');

  it('may exist, if it is empty, or is made', async () => {
    const dir = scratch();
    expect((await stage(source(), dir)).dir).toBe(dir);
    const made = join(scratch(), 'a/b/c');
    expect(tree((await stage(source(), made)).dir)).toEqual(tree(dir));
  });

  it('is not touched if there is something in it', async () => {
    const dir = scratch([{ path: 'mine', content: 'x' }]);
    await expect(stage(source(), dir)).rejects.toThrow(PatchbayError);
    expect(tree(dir)).toEqual(['mine: 644 x']);
  });

  it('is gone after a failure, even one that came when much was written already', async () => {
    const many = Array.from({ length: 500 }, (_, i) => ({ path: `top/d${i % 7}/f${i}`, content: 'x'.repeat(5000) }));
    for (const [name, content] of [
      ['late.tar.gz', tgzOf([...many, { path: '../evil' }])],
      ['late.zip', zipOf([...many, { path: '../evil' }])],
    ] as const) {
      await refusalOf(archive(name, content));
    }
  });

  it('cannot be made under a file', async () => {
    const dir = scratch([{ path: 'file', content: 'x' }]);
    const error = await failureOf(() => stage(source(), join(dir, 'file/into')));
    expect(error).toMatchObject({ code: 'PROJECT_WRITE', exitCode: 1 });
    expect(error.message).toContain(join(dir, 'file/into'));
  });

  it('is the only place that is written to, on success', async () => {
    const outer = scratch();
    const temp = scratch();
    await stage(source(), join(outer, 'into'), { temp });
    expect(readdirSync(outer)).toEqual(['into']);
    expect(readdirSync(temp)).toEqual([]);
  });
});

it('a disk that is full is one clear error, and nothing is left', () => {
  // No file may grow beyond some kilobytes in that process: the write fails in the middle, as on a full disk.
  const source = scratch([...plugin, { path: 'z-large', content: Buffer.alloc(100_000) }]);
  const into = join(scratch(), 'into');
  const module = new URL('../../../src/install/fetch/stage.ts', import.meta.url).href;
  const text = `import { stage } from '${module}';
    const failing = stage({ kind: 'directory', path: '${source}' }, '${into}');
    await failing.catch((error) => console.log(JSON.stringify(error)));`;
  const args = ['--conditions=patchbay-source', '--input-type=module', '--eval', text];
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 16; exec "$@"', 'sh', process.execPath, ...args], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toMatchObject({ code: 'PROJECT_WRITE', message: expect.stringContaining(into) });
  expect(existsSync(into)).toBe(false);
});
