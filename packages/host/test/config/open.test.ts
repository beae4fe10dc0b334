import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, inNode, pluginText, project } from '../../../../test/project.ts';

/** Opens a host in `dir` in a process of its own, as the command does, and goes on with `text`. */
function opened(dir: string, text: string, options = ''): unknown[] {
  const { reports, stderr } = inNode(`
    import { openHost } from 'patchbay-host';
    globalThis.seen = [];
    const open = (cwd) => openHost({ cwd, version: '9.9.9', ${options} });
    const cwd = ${JSON.stringify(dir)};
    ${text}
  `);
  expect(stderr).toBe('');
  return reports;
}

/** The error that opening a host in `dir` ends with. */
function refusal(dir: string): unknown {
  const [error] = opened(dir, 'await open(cwd).catch((error) => report(error.code ? error : String(error)));');
  return error;
}

const noisy = (name: string) =>
  pluginText(
    name,
    `'host:ready': (p, context) => { seen.push('${name}'); context.defer(() => seen.push('no ${name}')); }`,
  );

describe('opening a host', () => {
  it('loads the plugins in the order in which they stand in the file', () => {
    const dir = project({ zebra: pluginText('zebra'), ant: pluginText('ant'), mole: pluginText('mole') });
    expect(opened(dir, 'report((await open(cwd)).kernel.plugins());')).toEqual([['zebra', 'ant', 'mole']]);
  });

  it('works from a folder inside the project', () => {
    const dir = project({ ant: pluginText('ant') });
    const reports = opened(
      join(dir, 'plugins'),
      'const host = await open(cwd); report([host.project.dir, host.kernel.plugins()]);',
    );
    expect(reports).toEqual([[dir, ['ant']]]);
  });

  it('works without a project, and then without plugins', () => {
    const reports = opened(folder(), 'const host = await open(cwd); report([host.project, host.kernel.plugins()]);');
    expect(reports).toEqual([[null, []]]);
  });

  it('does not load what is switched off, not even its module', () => {
    const dir = folder({
      'patchbay.yaml':
        'plugins:\n  off: { path: off.mjs, enabled: false }\n  gone: { path: gone.mjs, enabled: false }\n',
      'off.mjs': `seen.push('off loaded');\n${pluginText('off')}`,
    });
    expect(opened(dir, 'report([(await open(cwd)).kernel.plugins(), seen]);')).toEqual([[[], []]]);
  });

  it('gives plugins their configuration and their log', () => {
    const dir = folder({
      'patchbay.yaml': 'plugins:\n  tall:\n    path: tall.ts\n    config: { level: 3 }\n',
      'tall.ts': `import { definePlugin } from 'patchbay-sdk';
        import { z } from 'patchbay-sdk/zod';
        export default definePlugin({
          name: 'tall',
          version: '1.0.0',
          config: z.object({ level: z.number(), unit: z.string().default('m') }),
          hooks: { 'host:ready': (_, { config, log }) => log.info(config.level + config.unit) },
        });`,
    });
    const log = 'log: (plugin) => ({ info: (message) => report([plugin, message]) })';
    expect(opened(dir, 'const host = await open(cwd); await host.start(); await host.close();', log)).toEqual([
      ['tall', '3m'],
    ]);
  });

  it('lends the SDK to TypeScript plugins in a folder without node_modules', () => {
    const dir = folder({
      'patchbay.yaml': 'plugins:\n  typed: { path: plugins/typed.ts }\n',
      'plugins/words.ts': `import { refuse } from 'patchbay-sdk';\nexport const no = (why: string) => refuse(why);\n`,
      'plugins/typed.ts': `import { definePlugin, sample } from 'patchbay-sdk';
        import { createTestHost } from 'patchbay-sdk/testing';
        import { no } from './words.ts';
        export default definePlugin({
          name: 'typed',
          version: '1.0.0',
          hooks: { 'run:started': (run) => no(\`\${typeof createTestHost} \${sample('run:started').goal === run.goal}\`) },
        });`,
    });
    const reports = opened(
      dir,
      `import { sample } from 'patchbay-sdk';
       const host = await open(cwd);
       try { await host.kernel.call('run:started', sample('run:started')); } catch (error) { report(error); }`,
    );
    expect(reports).toMatchObject([
      { code: 'HOOK_REFUSED', plugin: 'typed', message: expect.stringContaining('function true') },
    ]);
  });

  it('leaves plugins the SDK that they bring themselves', () => {
    const dir = folder({
      'patchbay.yaml': 'plugins:\n  own: { path: own.mjs }\n',
      'own.mjs': `import { mark } from 'patchbay-sdk';\nseen.push(mark);\n${pluginText('own')}`,
      'node_modules/patchbay-sdk/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/patchbay-sdk/index.js': `export const mark = 'their own';\n`,
    });
    expect(opened(dir, 'await open(cwd); report(seen);')).toEqual([['their own']]);
  });

  it('takes the SDK back when it is closed', () => {
    const dir = project({ ant: pluginText('ant') });
    const late = join(folder({ 'late.mjs': `import 'patchbay-sdk';\n` }), 'late.mjs');
    const text = `
      const host = await open(cwd);
      await host.close();
      await import(${JSON.stringify(late)}).then(() => report('found'), (error) => report(error.code));`;
    expect(opened(dir, text)).toEqual(['ERR_MODULE_NOT_FOUND']);
  });

  it('takes the SDK back when it could not be opened', () => {
    const dir = folder({ 'patchbay.yaml': 'plugins: 7\n', 'late.mjs': `import 'patchbay-sdk';\n` });
    const text = `
      await open(cwd).catch((error) => report(error.code));
      await import(cwd + '/late.mjs').then(() => report('found'), (error) => report(error.code));`;
    expect(opened(dir, text)).toEqual(['PROJECT_INVALID', 'ERR_MODULE_NOT_FOUND']);
  });

  it('takes a CommonJS module for a plugin, too', () => {
    const dir = folder({
      'patchbay.yaml': 'plugins:\n  old: { path: old.cjs }\n',
      'old.cjs': `module.exports = { name: 'old', version: '1.0.0' };\n`,
    });
    expect(opened(dir, 'report((await open(cwd)).kernel.plugins());')).toEqual([['old']]);
  });
});

describe('a plugin that cannot be loaded is refused with its name and its file', () => {
  it.each<[string, string, string]>([
    ['throws', `throw new Error('out of paper');`, 'plugin "bad" cannot be loaded from FILE: out of paper'],
    ['throws no error', `throw undefined;`, 'plugin "bad" cannot be loaded from FILE: threw undefined'],
    ['is no JavaScript', 'export default {{;', 'plugin "bad" cannot be loaded from FILE: '],
    [
      'imports what is not there',
      `import 'not-there';`,
      'plugin "bad" cannot be loaded from FILE: Cannot find package',
    ],
    ['exports nothing', 'export {};', 'FILE must export a plugin named "bad" as default, but has no default export'],
    [
      'exports it under a name',
      `export const plugin = { name: 'bad' };`,
      'FILE must export a plugin named "bad" as default, but has no default export',
    ],
    ['exports another plugin', pluginText('other'), 'FILE must export a plugin named "bad" as default, not "other"'],
    ['exports null', 'export default null;', 'FILE must export a plugin named "bad" as default'],
    ['exports a text', `export default 'bad';`, 'FILE must export a plugin named "bad" as default'],
    ['exports what throws when read', `export default { get name() { throw new Error('boo'); } };`, '"bad"'],
  ])('because its module %s', (_, text, message) => {
    const dir = project({ bad: text });
    const file = join(dir, 'plugins/bad.mjs');
    expect(refusal(dir)).toMatchObject({
      code: 'PLUGIN_LOAD',
      plugin: 'bad',
      file,
      message: expect.stringContaining(message.replace('FILE', file)),
    });
  });

  it('because its module is not there', () => {
    const dir = folder({ 'patchbay.yaml': 'plugins:\n  gone: { path: gone.mjs }\n' });
    expect(refusal(dir)).toMatchObject({ code: 'PLUGIN_LOAD', plugin: 'gone', file: join(dir, 'gone.mjs') });
  });

  it('because the host refuses what it does', () => {
    const dir = project({ bad: pluginText('bad', `'turn:acepted': () => {}`) });
    expect(refusal(dir)).toMatchObject({ code: 'HOOK_UNKNOWN', plugin: 'bad', hook: 'turn:acepted' });
    const reads = project({ bad: pluginText('bad', `'turn:accepted': (p) => p.sumary`) });
    expect(refusal(reads)).toMatchObject({ code: 'HOOK_ARGUMENT_UNKNOWN', plugin: 'bad', field: 'sumary' });
  });

  it('because its configuration is wrong', () => {
    const dir = folder({
      'patchbay.yaml': 'plugins:\n  ant:\n    path: ant.mjs\n    config: { size: 1 }\n',
      'ant.mjs': pluginText('ant'),
    });
    expect(refusal(dir)).toMatchObject({ code: 'CONFIG_INVALID', plugin: 'ant', field: 'size' });
  });

  it('and leaves nothing of itself in an open host', () => {
    const text = `
      const host = await open(cwd);
      const bad = { name: 'bad', version: '1.0.0', hooks: { 'turn:rejected': () => {}, 'turn:acepted': () => {} } };
      try { host.load(bad); } catch (error) { report(error.code); }
      report([host.kernel.plugins(), host.kernel.hook('turn:rejected').size]);
      delete bad.hooks['turn:acepted'];
      host.load(bad);
      report(host.kernel.plugins());`;
    expect(opened(folder(), text)).toEqual(['HOOK_UNKNOWN', [[], 0], ['bad']]);
  });

  it('and a host that could not be opened can be opened when it is mended', () => {
    const dir = project({ ant: noisy('ant'), bad: 'export {};' });
    const text = `
      import { writeFileSync } from 'node:fs';
      await open(cwd).catch((error) => report(error.code));
      writeFileSync(cwd + '/patchbay.yaml', 'plugins:\\n  ant: { path: plugins/ant.mjs }\\n');
      const host = await open(cwd);
      await host.start();
      report([host.kernel.plugins(), seen]);
      await host.close();`;
    expect(opened(dir, text)).toEqual(['PLUGIN_LOAD', [['ant'], ['ant']]]);
  });
});

describe('an open host', () => {
  it('tells its plugins that all are there, those that come later too', () => {
    const dir = project({ early: pluginText('early', `'host:ready': (p) => seen.push(['early', p])`) });
    const text = `
      const host = await open(cwd);
      report(seen);
      await host.start();
      host.load({ name: 'late', version: '1.0.0', hooks: { 'host:ready': (p) => seen.push(['late', p]) } });
      report(seen);
      await host.close();`;
    const told = { version: '9.9.9', project: dir };
    expect(opened(dir, text)).toEqual([
      [],
      [
        ['early', told],
        ['late', told],
      ],
    ]);
  });

  it('takes its plugins out in reverse when it is closed', () => {
    const dir = project({ a: noisy('a'), b: noisy('b'), c: noisy('c') });
    const text = `
      const host = await open(cwd);
      await host.start();
      seen.length = 0;
      await host.close();
      report([seen, host.kernel.plugins()]);
      await host.close();
      report(seen.length);`;
    expect(opened(dir, text)).toEqual([[['no c', 'no b', 'no a'], []], 3]);
  });

  it('does not disturb another one', () => {
    const dir = project({ a: noisy('a') });
    const other = project({ b: `import 'patchbay-sdk';\n${noisy('b')}` });
    const text = `
      const one = await open(cwd);
      const two = await open(${JSON.stringify(other)});
      await one.close();
      await two.start();
      report([one.kernel.plugins(), two.kernel.plugins(), seen]);
      await two.close();`;
    expect(opened(dir, text)).toEqual([[[], ['b'], ['b']]]);
  });
});
