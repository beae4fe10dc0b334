import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseSource } from '../../../src/install/fetch/source.ts';
import { stage } from '../../../src/install/fetch/stage.ts';
import { bring, failureOf, refusalOf, scratch, tree } from './scratch.ts';

const plugin = [
  { path: 'plugin.json', content: '{}' },
  { path: 'lib/a.js', content: 'a' },
];

describe('a folder is copied', () => {
  it('without .git and node_modules at its top, but with those further down', async () => {
    const dir = scratch([
      ...plugin,
      { path: '.git/config', content: 'x' },
      { path: 'node_modules/x/index.js', content: 'x' },
      { path: 'lib/node_modules/y.js', content: 'y' },
    ]);
    expect(tree((await bring(dir)).dir)).toEqual([
      'lib/: 755',
      'lib/a.js: 644 a',
      'lib/node_modules/: 755',
      'lib/node_modules/y.js: 644 y',
      'plugin.json: 644 {}',
    ]);
  });

  it('with a copy of what a link inside of it leads to, be it a file or a folder', async () => {
    const dir = scratch(plugin);
    symlinkSync('plugin.json', join(dir, 'same.json'));
    symlinkSync('../plugin.json', join(dir, 'lib/up.json'));
    symlinkSync('lib', join(dir, 'library'));
    expect(tree((await bring(dir)).dir)).toEqual([
      'lib/: 755',
      'lib/a.js: 644 a',
      'lib/up.json: 644 {}',
      'library/: 755',
      'library/a.js: 644 a',
      'library/up.json: 644 {}',
      'plugin.json: 644 {}',
      'same.json: 644 {}',
    ]);
  });

  it('through a link to it, and even if it has only one folder', async () => {
    const dir = scratch([{ path: 'real/lib/a.js', content: 'a' }]);
    symlinkSync('real', join(dir, 'link'));
    expect(tree((await bring(join(dir, 'link'))).dir)).toEqual(['lib/: 755', 'lib/a.js: 644 a']);
  });

  it('with files that have hard links elsewhere, as copies', async () => {
    const dir = scratch(plugin);
    linkSync(join(dir, 'plugin.json'), join(scratch(), 'other'));
    const { dir: into } = await bring(dir);
    chmodSync(join(dir, 'plugin.json'), 0o600);
    expect(tree(into)).toContain('plugin.json: 644 {}');
  });
});

describe('a folder is refused if it has', () => {
  it.each<[string, (dir: string) => void, RegExp]>([
    ['a link that leads out of it', (dir) => symlinkSync('../../../../etc', join(dir, 'out')), /leads out/],
    ['a link to an absolute path', (dir) => symlinkSync('/etc/passwd', join(dir, 'out')), /leads out/],
    ['a link to the folder above', (dir) => symlinkSync('..', join(dir, 'out')), /leads out/],
    ['a link that leads nowhere', (dir) => symlinkSync('nothing', join(dir, 'out')), /leads nowhere/],
    ['a link to itself', (dir) => symlinkSync('out', join(dir, 'out')), /leads nowhere/],
    ['a link that leads round in a circle', (dir) => symlinkSync('..', join(dir, 'lib/out')), /in a circle/],
    ['a named pipe', (dir) => execFileSync('mkfifo', [join(dir, 'out')]), /neither a file nor a folder/],
    [
      'a link into what is left out',
      (dir) => {
        mkdirSync(join(dir, '.git'));
        symlinkSync('.git', join(dir, 'out'));
      },
      /leads out/,
    ],
    [
      'a link out by way of a link inside',
      (dir) => {
        symlinkSync('/', join(dir, 'lib/a-root'));
        symlinkSync('lib/a-root/etc/passwd', join(dir, 'out'));
      },
      /leads out/,
    ],
  ])('%s', async (_, spoil, why) => {
    const dir = scratch(plugin);
    spoil(dir);
    const error = await refusalOf(dir);
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', file: dir });
    expect(error.message).toMatch(why);
    expect(error.message).toMatch(/entry "(?:lib\/)?(?:out|a-root)"/);
  });

  it('a socket', async () => {
    const dir = scratch(plugin);
    const server = createServer().listen(join(dir, 'out'));
    onTestFinished(() => {
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const error = await refusalOf(dir);
    expect(error.message).toMatch(/entry "out" is refused: it is neither a file nor a folder/);
  });

  it('a name that is no UTF-8', async () => {
    const dir = scratch(plugin);
    writeFileSync(Buffer.concat([Buffer.from(join(dir, '/')), Buffer.from([0xff])]), '');
    const error = await refusalOf(dir);
    expect(error.code).toBe('PACKAGE_UNSAFE');
  });
});

describe('a folder is no package if', () => {
  it('the place it would be copied to is inside of it', async () => {
    const dir = scratch(plugin);
    const error = await failureOf(() => stage(parseSource('.', dir), join(dir, '.patchbay/install/new')));
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('contains the place') });
  });

  it('a file in it is not as large as it seemed', async () => {
    // The kernel's own files say they are empty, as one that grows meanwhile would.
    const error = await failureOf(() =>
      stage({ kind: 'directory', path: '/proc/sys/fs/inotify' }, join(scratch(), 'x')),
    );
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('changed while') });
  });

  it('it is gone by the time it is copied', async () => {
    const error = await failureOf(() => stage({ kind: 'directory', path: '/nothing/there' }, join(scratch(), 'into')));
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', file: '/nothing/there' });
  });
});
