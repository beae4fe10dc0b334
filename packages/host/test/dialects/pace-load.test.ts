import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Host, openHost } from 'patchbay-host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { installPlugin } from '../../src/install/index.ts';
import { handlersOf, pluginsOf } from './pace-fixture.ts';

const hookText = (name: string, events = "['AFTER_GATE']") => `
import { HookBase } from 'patchbay-sdk/pace';
export class ${name} extends HookBase {
  events = ${events};
  run() {}
}
`;

const providerText = 'export default { generate: async () => ({ text: String(process.pid) }) };';

async function opened(dir: string, env: NodeJS.ProcessEnv = {}): Promise<Host> {
  const host = await openHost({ cwd: dir, version: '0.0.0', env: { PATH: process.env['PATH'], ...env } });
  onTestFinished(() => host.close());
  return host;
}

/** A project with PACE's settings and these files. */
function project(settings: string, files: Record<string, string> = {}): string {
  return folder({ 'pace/pace.config.yaml': settings, ...files });
}

/** A package with one entry among the dependencies of a project. */
function dependency(name: string, pace: object, files: Record<string, string>): Record<string, string> {
  const at = (path: string) => `node_modules/${name}/${path}`;
  const manifest = { name, version: '1.2.3', type: 'module', pace };
  return {
    [at('package.json')]: JSON.stringify(manifest),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [at(path), text])),
  };
}

describe('plugins of PACE are found', () => {
  it('in the settings alone, which make a project', async () => {
    const dir = project('plugins:\n  dirs: ["plugins/"]\n', { 'plugins/pace_plugin.mjs': hookText('SlackGate') });
    const host = await opened(join(dir, 'plugins'));
    expect(host.project?.dir).toBe(dir);
    expect(pluginsOf(host)).toEqual(['slack-gate']);
    expect(host.kernel.hooksOf('slack-gate')).toEqual(['turn:submitted']);
    expect(host.warnings).toEqual([]);
  });

  it('in folders: in the folder itself, then one level below in alphabetical order, TypeScript or JavaScript', async () => {
    const dir = project('plugins:\n  dirs: [one, two/]\n', {
      'one/zeta/index.mjs': hookText('Zeta'),
      'one/alpha/pace_plugin.ts': hookText('Alpha').replace('run()', 'run(): void'),
      'one/node_modules/x/index.mjs': 'throw new Error("no plugin")',
      'one/.hidden/index.mjs': 'throw new Error("no plugin")',
      'one/tests/readme.md': '',
      'two/index.js': `import { hook, AFTER_DAY } from 'patchbay-sdk/pace';
        export const dayReport = hook([AFTER_DAY], () => {});
        export default hook([AFTER_DAY], () => {});
        export const other = 1;
        ${hookText('GitHubWatch').replace(/import.*;/, "import { HookBase } from 'patchbay-sdk/pace';")}`,
      'package.json': '{"type":"module"}',
    });
    const host = await opened(dir);
    expect(pluginsOf(host).sort()).toEqual(['alpha', 'day-report', 'git-hub-watch', 'two', 'zeta']);
    expect(handlersOf(host, 'turn:submitted').map(({ plugin }) => plugin)).toEqual(['alpha', 'zeta', 'git-hub-watch']);
  });

  it('among dependencies of the project first, then installed packages, then folders; each called in that order', async () => {
    const dir = project('plugins:\n  dirs: [plugins]\n', {
      'package.json': JSON.stringify({ type: 'module', dependencies: { 'pace-one': '1.2.3', other: '1.0.0' } }),
      ...dependency('pace-one', { hooks: { zz_first: './hook.js#First' } }, { 'hook.js': hookText('First') }),
      ...dependency('stranger', { hooks: { stranger: './hook.js#S' } }, { 'hook.js': hookText('S') }),
      'node_modules/other/package.json': '{"name":"other","version":"1.0.0"}',
      'plugins/pace_plugin.mjs': hookText('Aaa'),
      'sources/pace-two/package.json': JSON.stringify({
        name: 'pace-two',
        version: '2.0.0',
        type: 'module',
        pace: { hooks: { mm_second: './hook.js#Second' } },
      }),
      'sources/pace-two/hook.js': hookText('Second'),
    });
    await installPlugin(join(dir, 'sources/pace-two'), { cwd: dir, yes: true });
    const host = await opened(dir);
    expect(host.quarantined).toEqual([]);
    expect(handlersOf(host, 'turn:submitted').map(({ plugin }) => plugin)).toEqual(['zz-first', 'mm-second', 'aaa']);
  });

  it('of one name in several groups as one plugin, and several of a package as several', async () => {
    const dir = project('', {
      'package.json': JSON.stringify({ dependencies: { pack: '*' } }),
      ...dependency(
        'pack',
        {
          hooks: { notes: './a.js#A', other: './a.js#A' },
          webhook_in: { notes: './b.js#B' },
          webhook_out: { notes: './c.js' },
          reporters: { lines: './d.js#report' },
          llm_providers: { echo: './d.js#Echo' },
          platforms: { nowhere: './d.js#platform' },
        },
        {
          'a.js': hookText('A'),
          'b.js': `import { WebhookInBase } from 'patchbay-sdk/pace';
            export class B extends WebhookInBase { path = '/notes'; handle() {} }`,
          'c.js': `import { WebhookOutBase } from 'patchbay-sdk/pace';
            export default class extends WebhookOutBase {
              events = ['AFTER_DAY']; build_payload() { return {} } endpoint() { return 'https://example.com' }
            }`,
          'd.js': `export const report = { report: async () => [] };
            export class Echo { name = 'echo'; async generate() { return { text: 'hi' }; } }
            const no = async () => {};
            export const platform = () => ({
              name: 'nowhere', openReview: no, escalate: no, setVariable: no, writeSummary: no, waitForChecks: no,
            });`,
        },
      ),
    });
    const host = await opened(dir);
    expect(host.quarantined).toEqual([]);
    expect(Object.fromEntries(pluginsOf(host).map((name) => [name, host.kernel.hooksOf(name)]))).toEqual({
      notes: ['turn:submitted', 'run:completed', 'run:held', 'run:failed', 'run:aborted', 'webhooks'],
      other: ['turn:submitted'],
      lines: ['reporter'],
      echo: ['llmProvider'],
      nowhere: ['platform'],
    });
    expect((await host.kernel.call('reporter', {})).map(({ name }) => name)).toEqual(['lines']);
    const [provider] = await host.kernel.call('llmProvider', {});
    expect(
      await provider?.generate(
        { model: 'm', system: '', messages: [], tools: [] },
        { signal: new AbortController().signal },
      ),
    ).toEqual({ text: 'hi' });
    const [routes] = await host.kernel.call('webhooks', { startRun: async () => 'run-1' });
    expect(routes?.map(({ path }) => path)).toEqual(['/notes']);
  });
});

it('a dependency runs in a process of its own, unless the settings trust it', async () => {
  const files = {
    'package.json': JSON.stringify({ dependencies: { pack: '*' } }),
    ...dependency('pack', { llm_providers: { where: './a.js' } }, { 'a.js': providerText }),
  };
  const pidIn = async (settings: string) => {
    const [provider] = await (await opened(project(settings, files))).kernel.call('llmProvider', {});
    return (
      await provider?.generate(
        { model: 'm', system: '', messages: [], tools: [] },
        { signal: new AbortController().signal },
      )
    )?.text;
  };
  expect(await pidIn('plugins: { trusted: [where] }\n')).toBe(String(process.pid));
  expect(await pidIn('')).not.toBe(String(process.pid));
});

describe('a plugin of PACE is configured', () => {
  const settings = `plugins:
  dirs: [plugins]
  config:
    slack_gate:
      webhook_url: "\${SLACK_URL}/x"
      deep: { list: ["\${SLACK_URL}"] }
`;
  const files = {
    'plugins/pace_plugin.mjs': `import { HookBase } from 'patchbay-sdk/pace';
      export class Slack extends HookBase {
        static pluginName = 'slack_gate';
        events = [this.config.event ?? 'AFTER_GATE'];
        constructor() { super(); globalThis.seen = this; }
        run() {}
      }`,
  };

  it('with what stands under its entry, variables at any depth looked up, frozen', async () => {
    await opened(project(settings, files), { SLACK_URL: 'https://hooks.example.com' });
    const { config } = (globalThis as unknown as { seen: { config: unknown } }).seen;
    expect(config).toEqual({
      webhook_url: 'https://hooks.example.com/x',
      deep: { list: ['https://hooks.example.com'] },
    });
    expect(Object.isFrozen((config as { deep: { list: unknown } }).deep.list)).toBe(true);
  });

  it('and is not loaded without a variable that it names: the key and the variable are told', async () => {
    await expect(opened(project(settings, files))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('plugin "slack_gate", config: "webhook_url" needs the variable SLACK_URL'),
    });
  });

  it('in the list that PACE shipped too, which may switch it off', async () => {
    const list = (enabled: boolean) => `plugins:
  - name: lines
    enabled: ${enabled}
    webhook_in_port: 9999
    config: { a: 1 }
`;
    const files = {
      'package.json': JSON.stringify({ dependencies: { pack: '*' } }),
      ...dependency(
        'pack',
        { hooks: { lines: './a.js#A' } },
        {
          'a.js': `import { HookBase } from 'patchbay-sdk/pace';
        export class A extends HookBase { events = this.config.a === 1 ? ['AFTER_DAY'] : ['BEFORE_DAY']; run() {} }`,
        },
      ),
    };
    const on = await opened(project(list(true), files));
    expect(on.project?.pace?.webhookPort).toBe(9999);
    expect(on.kernel.hooksOf('lines')).toContain('run:completed');
    const off = await opened(project(list(false), files));
    expect(pluginsOf(off)).toEqual([]);
    expect(off.warnings).toEqual([]);
  });
});

describe('what will not do what somebody thinks is told', () => {
  it('configuration for nobody, with the nearest name', async () => {
    const dir = project('plugins:\n  dirs: [plugins]\n  config:\n    slak_gate: {}\n  grants: { slack_gat: [] }\n', {
      'plugins/index.mjs': hookText('SlackGate'),
    });
    const file = join(dir, 'pace/pace.config.yaml');
    expect((await opened(dir)).warnings).toEqual([
      `${file}: "plugins.config.slak_gate" is for no plugin that there is; did you mean "slack_gate"?`,
      `${file}: "plugins.grants.slack_gat" is for no plugin that there is; did you mean "slack_gate"?`,
    ]);
  });

  it('events that nobody fires, in-process and isolated', async () => {
    const dir = project('plugins:\n  dirs: [plugins]\n', {
      'plugins/index.mjs': hookText('Typo', "['AFTER_GAT', 'after_gate', 'AFTER_DAY']"),
      'package.json': JSON.stringify({ dependencies: { pack: '*' } }),
      ...dependency('pack', { hooks: { far: './a.js#A' } }, { 'a.js': hookText('A', "['day_shiped']") }),
    });
    expect((await opened(dir)).warnings).toEqual([
      'plugin "far" waits for event "day_shiped", which nobody fires; did you mean "day_shipped"?',
      'plugin "typo" waits for event "AFTER_GAT", which nobody fires; did you mean "AFTER_GATE"?',
      'plugin "typo" waits for event "after_gate", which nobody fires; did you mean "AFTER_GATE"?',
    ]);
  });

  it('folders without a plugin, by name, and plugins in Python', async () => {
    const dir = project('plugins:\n  dirs: [empty, gone, snakes]\n', {
      'empty/readme.md': '',
      'snakes/pace_plugin.py': '',
      'snakes/below/__init__.py': '',
      'snakes/plain/index.mjs': 'export const nothing = 1;',
    });
    expect((await opened(dir)).warnings).toEqual([
      expect.stringMatching(/^plugins\.dirs: empty has no pace_plugin\.ts/),
      'plugins.dirs: gone does not exist',
      'snakes/pace_plugin.py is a plugin in Python, which needs the Python bridge: this version cannot run it',
      'snakes/below/__init__.py is a plugin in Python, which needs the Python bridge: this version cannot run it',
      'snakes/plain/index.mjs exports no plugin: a class that extends a base',
    ]);
  });
});

describe('what is wrong', () => {
  const wrong: readonly (readonly [what: string, text: string, message: string])[] = [
    ['has no events', 'class A extends HookBase { events = []; run() {} }', 'names no "events"'],
    ['has no run', "class A extends HookBase { events = ['AFTER_DAY'] }", 'has no method "run"'],
    [
      'cannot be made',
      "class A extends HookBase { constructor() { super(); throw new Error('no') } }",
      'cannot be made: no',
    ],
    ['has no path', 'class A extends WebhookInBase { handle() {} }', 'has no "path"'],
    [
      'has nothing to send',
      "class A extends WebhookOutBase { events = ['AFTER_DAY']; endpoint() {} }",
      'has no method "buildPayload"',
    ],
    ['does nothing', 'class A extends PluginBase {}', 'has none of "events"'],
    [
      'cannot be read',
      "class A extends HookBase { get events() { throw new Error('no') } run() {} }",
      'cannot be read: no',
    ],
    ['lists nonsense', 'class A extends PluginBase { routes() { return 1 } }', '"routes" must answer a list'],
  ];

  it.each(wrong)('in a folder of the project is an error: it %s', async (_, text, message) => {
    const dir = project('plugins:\n  dirs: [plugins]\n', {
      'plugins/index.mjs': `import { HookBase, PluginBase, WebhookInBase, WebhookOutBase } from 'patchbay-sdk/pace';\nexport ${text}`,
    });
    await expect(opened(dir)).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringContaining(message),
    });
  });

  it('in a dependency keeps it from running, and nobody else', async () => {
    const dir = project('plugins:\n  dirs: [plugins]\n  config:\n    bad_config: { a: "${NOT_SET}" }\n', {
      'plugins/index.mjs': hookText('Fine'),
      'package.json': JSON.stringify({ dependencies: { a: '*', b: '*', c: '*', d: '*', e: '*', f: '*' } }),
      ...dependency('a', { hooks: { bad_module: './a.js#A' } }, { 'a.js': 'throw new Error("boom")' }),
      ...dependency('b', { hooks: { bad_export: './a.js#Slack' } }, { 'a.js': 'export class Slak {}' }),
      ...dependency('c', { hooks: { bad_config: './a.js#A' } }, { 'a.js': hookText('A') }),
      ...dependency('d', { hoks: {} }, {}),
      ...dependency('e', { hooks: { twin: './a.js#A' } }, { 'a.js': hookText('A') }),
      ...dependency('f', { hooks: { twin: './a.js#A' } }, { 'a.js': hookText('A') }),
    });
    const host = await opened(dir);
    expect(pluginsOf(host)).toEqual(['twin', 'fine']);
    expect(host.quarantined.map(({ name, reason }) => [name, reason])).toEqual([
      ['bad-config', expect.stringContaining('"a" needs the variable NOT_SET')],
      ['bad-export', expect.stringContaining('exports no "Slack"; did you mean "Slak"?')],
      ['bad-module', expect.stringContaining('boom')],
      ['d', expect.stringContaining('pace')],
      ['f', 'a plugin "twin" is already registered'],
    ]);
  });

  it('in the settings is told with its line', async () => {
    const cases: readonly (readonly [string, string])[] = [
      ['plugins:\n  dir: [x]\n', ':2: "plugins.dir": unknown field, did you mean "dirs"?'],
      ['plugins:\n  dirs: [../x]\n', ':2: "plugins.dirs": "../x" must stay inside the project'],
      ['plugins:\n  dirs: x\n', 'must be a list of texts'],
      ['plugins:\n  webhook_port: 99999\n', 'must be the number of a port'],
      ['plugins:\n  - enabled: true\n', 'every item needs the "name" of a plugin'],
      ['attempts: 0\n', '"attempts": must be a number, 1 or more'],
      ['a: [\n', ':2: '],
    ];
    for (const [text, message] of cases) {
      await expect(opened(project(text)), text).rejects.toMatchObject({
        code: 'PROJECT_INVALID',
        message: expect.stringContaining(message),
      });
    }
  });
});

describe('the settings', () => {
  it('stand beside a project file: each value is read from its own', async () => {
    const dir = project('plugins: { dirs: [plugins] }\nruns: { core: script, with: { command: [x] } }\n', {
      'patchbay.yaml': 'plugins:\n  notes: { path: notes.mjs }\nruns:\n  roles: { forge: { core: manual } }\n',
      'notes.mjs': "export default { name: 'notes', version: '1.0.0', hooks: {} };",
      'plugins/index.mjs': hookText('SlackGate'),
      'plan.yaml': '',
    });
    const host = await opened(dir);
    expect(pluginsOf(host)).toEqual(['notes', 'slack-gate']);
    expect(host.project).toMatchObject({
      file: join(dir, 'patchbay.yaml'),
      runs: { core: { core: 'script' }, roles: { forge: { core: 'manual' } } },
      pace: { file: join(dir, 'pace/pace.config.yaml'), plan: join(dir, 'plan.yaml') },
    });
  });

  it('say what the day needs', async () => {
    const text = `attempts: 2
cost: { day_usd: 5, total_usd: 50.5 }
gates: { ship: human }
plugins: { webhook_port: 9877, grants: { a: ["net:x"] }, trusted: [a] }
product: { name: Mine }
`;
    const dir = project(text);
    expect((await opened(dir)).project?.pace).toEqual({
      file: join(dir, 'pace/pace.config.yaml'),
      plan: join(dir, 'pace/plan.yaml'),
      dirs: [],
      webhookPort: 9877,
      config: {},
      grants: { a: ['net:x'] },
      signing: {},
      trusted: ['a'],
      disabled: [],
      attempts: 2,
      cost: { dayUsd: 5, totalUsd: 50.5 },
      gates: { ship: 'human' },
    });
  });

  it('alone let packages be installed: a project file is made for them', async () => {
    const dir = project('');
    const source = folder({
      'package.json': JSON.stringify({ name: 'p', version: '1.0.0', pace: { hooks: { a: './a.mjs#A' } } }),
      'a.mjs': hookText('A'),
    });
    await installPlugin(source, { cwd: dir, yes: true });
    const host = await opened(dir);
    expect([host.project?.file, pluginsOf(host)]).toEqual([join(dir, 'patchbay.yaml'), ['a']]);
    mkdirSync(dirname(join(dir, '.patchbay/plugins/p/b.txt')), { recursive: true });
    writeFileSync(join(dir, '.patchbay/plugins/p/b.txt'), 'changed');
    expect((await opened(dir)).quarantined.map(({ name }) => name)).toEqual(['p']);
  });
});

it('a provider, platform or reporter that is none is quarantined, with what it lacks', async () => {
  const host = await opened(
    project('', {
      'package.json': JSON.stringify({ dependencies: { pack: '*' } }),
      ...dependency('pack', { llm_providers: { half: './a.js' } }, { 'a.js': 'export default { complete() {} };' }),
    }),
  );
  expect(host.quarantined).toEqual([
    expect.objectContaining({
      name: 'half',
      reason: expect.stringMatching(/is no llmProvider: generate: must be a function/),
    }),
  ]);
});
