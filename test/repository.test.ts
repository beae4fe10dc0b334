import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './project.ts';

const messages = {
  sdk: 'The SDK imports nothing of ours.',
  anywhere: "The SDK's main entry runs anywhere.",
  testing: 'The test host may import the host, bundled in; see docs/decisions/003.',
  host: 'The host imports the SDK by name, and nothing else of ours.',
  kernel: 'The kernel imports the SDK only; it knows no disk and no network.',
  cli: 'The command imports host and SDK by name.',
  plugins: 'Plugins import the SDK only, as everybody else',
};

const wrong: readonly (readonly [folder: string, text: string, message: string])[] = [
  ['packages/sdk/src', `import { Kernel } from 'patchbay-host/kernel';`, messages.sdk],
  ['packages/sdk/src', `import { openHost } from 'patchbay-host';`, messages.sdk],
  ['packages/sdk/src', `import type { Host } from 'patchbay-host';`, messages.sdk],
  ['packages/sdk/src', `import { host } from '../../host/src/host.ts';`, messages.sdk],
  ['packages/sdk/src', `export { createTestHost } from './testing/index.ts';`, messages.sdk],
  ['packages/sdk/src', `import { readFileSync } from 'node:fs';`, messages.anywhere],
  ['packages/sdk/src', `export const fs = await import('node:fs');`, messages.anywhere],
  ['packages/sdk/src/testing', `import { hooks } from 'patchbay-sdk';`, messages.testing],
  ['packages/sdk/src/testing', `import { host } from '../../../host/src/host.ts';`, messages.testing],
  ['packages/host/src', `import { commands } from 'patchbay';`, messages.host],
  ['packages/host/src/config', `import { Kernel } from 'patchbay-host/kernel';`, messages.host],
  ['packages/host/src', `import { hooks } from '../../sdk/src/hooks.ts';`, messages.host],
  ['packages/host/src/kernel', `import { readFileSync } from 'node:fs';`, messages.kernel],
  ['packages/host/src/kernel', `import { connect } from 'node:net';`, messages.kernel],
  ['packages/host/src/kernel', `import { readFileSync } from 'fs';`, messages.kernel],
  ['packages/host/src/kernel', `import { parse } from 'yaml';`, messages.kernel],
  ['packages/host/src/kernel', `import { openHost } from '../host.ts';`, messages.kernel],
  ['packages/host/src/kernel', `import { openHost } from './../host.ts';`, messages.kernel],
  ['packages/host/src/kernel', `import { createTestHost } from 'patchbay-sdk/testing';`, messages.kernel],
  ['packages/host/src/kernel', `export const fs = await import('node:fs');`, messages.kernel],
  ['packages/cli/src', `import { openHost } from '../../host/src/host.ts';`, messages.cli],
  ['packages/cli/src/commands', `import { hooks } from '../../../sdk/src/hooks.ts';`, messages.cli],
  ['plugins/notes', `import { openHost } from 'patchbay-host';`, messages.plugins],
  ['plugins/notes', `import { Kernel } from 'patchbay-host/kernel';`, messages.plugins],
  ['examples/hello', `import { hooks } from '../../packages/sdk/src/hooks.ts';`, messages.plugins],
  ['packages/cli/src', `console.log('hello');`, "Don't use console"],
  ['packages/host/test', `import { it } from 'vitest';\nit.only('one', () => {});`, 'focus'],
  ['packages/host/test', `import { it } from 'vitest';\nit.skip('one', () => {});`, 'disable tests'],
];

const right: readonly (readonly [folder: string, text: string])[] = [
  ['packages/sdk/src', `import { hooks } from './hooks.ts';`],
  ['packages/sdk/src', `import * as z from 'zod/mini';`],
  ['packages/sdk/src/testing', `import { Kernel } from 'patchbay-host/kernel';`],
  ['packages/host/src', `import { hooks } from 'patchbay-sdk';`],
  ['packages/host/src', `import { readFileSync } from 'node:fs';`],
  ['packages/host/src/kernel', `import { hooks } from 'patchbay-sdk';`],
  ['packages/host/src/kernel', `import { Order } from './order.ts';`],
  ['packages/host/src/kernel', `import { performance } from 'node:perf_hooks';`],
  ['packages/cli/src', `import { openHost } from 'patchbay-host';`],
  ['plugins/notes', `import { definePlugin } from 'patchbay-sdk';`],
  ['plugins/notes/test', `import { createTestHost } from 'patchbay-sdk/testing';`],
  ['scripts', `console.log('hello');`],
];

let dir = '';
let complaints: { file: string; message: string }[] = [];
const at = (kind: string, i: number, folder: string) => `${folder}/zz-${kind}-${i}.ts`;
const about = (file: string) => complaints.filter((one) => one.file === file).map((one) => one.message);

/** The rules of this repository, on files that break them: in a folder of their own, so that no file stays behind. */
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-test-')));
  for (const name of ['biome.json', '.gitignore']) cpSync(join(root, name), join(dir, name));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    // What is imported must be used, or another rule would complain.
    const [, names] = /^import (?:type )?(?:\* as )?\{? ?(\w+)/.exec(text) ?? [];
    const use = names === undefined ? '' : `export ${text.startsWith('import type') ? 'type ' : ''}{ ${names} };\n`;
    writeFileSync(join(dir, file), `${text}\n${/it\./.test(text) ? '' : use}`);
  };
  wrong.forEach(([folder, text], i) => {
    write(at('wrong', i, folder), text);
  });
  right.forEach(([folder, text], i) => {
    write(at('right', i, folder), text);
  });
  write('packages/host/src/zz-here.ts', `import { there } from './zz-there.ts';\nexport const here = () => there;`);
  write('packages/host/src/zz-there.ts', `import { here } from './zz-here.ts';\nexport const there = () => here;`);
  const biome = spawnSync(
    process.execPath,
    [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'lint', '--reporter=github', '--max-diagnostics=none', '.'],
    { cwd: dir, encoding: 'utf8' },
  );
  expect(biome.status).not.toBe(0);
  complaints = biome.stdout.split('\n').flatMap((line) => {
    const found = /^::error .*?\bfile=([^,]+),.*?::(.*)$/.exec(line);
    return found === null ? [] : [{ file: relative(dir, found[1] ?? ''), message: found[2] ?? '' }];
  });
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the layers of the repository', () => {
  it.each(wrong.map(([folder, text, message], i) => ({ folder, text, message, i })))(
    'refuse in $folder: $text',
    ({ folder, message, i }) => {
      expect(about(at('wrong', i, folder))).toEqual([expect.stringContaining(message)]);
    },
  );

  it.each(right.map(([folder, text], i) => ({ folder, text, i })))('allow in $folder: $text', ({ folder, i }) => {
    expect(about(at('right', i, folder))).toEqual([]);
  });

  it('refuse two files that import each other', () => {
    expect(about('packages/host/src/zz-here.ts')).toEqual([expect.stringContaining('cycle')]);
    expect(about('packages/host/src/zz-there.ts')).toEqual([expect.stringContaining('cycle')]);
  });
});
