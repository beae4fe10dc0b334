import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCore } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { selectedCore, withEnvironment } from '../../src/containers/index.ts';
import { readResult } from '../../src/runs/validate.ts';
import { registryOf } from '../install/dependencies/registry.ts';
import { nap, running } from '../sandbox/fixture.ts';
import { turnIn } from './core-desk.ts';
import { Den } from './fixture.ts';

/** A core that is a class in a file of a folder. */
function coreOf(body: string, more: Partial<AgentCore> = {}): AgentCore {
  const source = folder({ 'core.mjs': `${body}\n` });
  return { name: 'scripted', module: './core.mjs', className: 'Core', hostSourcePath: source, ...more };
}

const saying = (text: string) => `export class Core { async run(turn) { ${text} } }`;

/** What a turn of the core comes to. */
async function played(
  core: AgentCore,
  { runtime = null as string | null, registry = undefined as string | undefined } = {},
) {
  const den = await Den.open({ runtime });
  const turn = turnIn(den, core);
  await withEnvironment(core, { project: den.project, registry }).run?.(turn);
  return { den, turn, result: resultIn(turn.result_file) };
}

function resultIn(file: string) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

describe('a core that is a class of a module', () => {
  it('works on the turn where its workspace runs, with its folder read-only at /workspace/plugins/NAME', async () => {
    const core = coreOf(`import { writeFileSync } from 'node:fs';
      export class Core { async run(turn) {
        let written = 'yes';
        try { writeFileSync(new URL('x', import.meta.url), '') } catch (error) { written = error.code }
        return JSON.stringify({ url: import.meta.url, written, cwd: process.cwd(), pid: process.pid < 100 });
      } }`);
    const { den, result } = await played(core);
    expect(JSON.parse(result.report.text)).toEqual({
      url: 'file:///workspace/plugins/scripted/core.mjs',
      written: 'EROFS',
      cwd: den.workspace,
      pid: true,
    });
  });

  it('is run from its own folder where nothing can be mounted', async () => {
    const core = coreOf(saying('return import.meta.url'));
    const { result } = await played(core, { runtime: 'none' });
    expect(result.report.text).toBe(`file://${core.hostSourcePath}/core.mjs`);
  });

  it.each([
    ['a text', "return 'hello\\nworld'", { summary: 'hello', report: { text: 'hello\nworld' } }],
    ['an object with a text', "return { text: 'hello' }", { summary: 'hello', report: { text: 'hello' } }],
    ['a whole result', "return { summary: 'done', files_changed: ['a'] }", { summary: 'done', files_changed: ['a'] }],
    [
      'nothing, having written it',
      `const fs = await import('node:fs'); fs.writeFileSync(turn.result_file, '{"summary":"mine"}')`,
      { summary: 'mine' },
    ],
  ])('may give %s, which becomes a result that is taken', async (_, text, expected) => {
    const { turn, result } = await played(coreOf(saying(text)));
    expect(result).toEqual(expected);
    const taken = readResult(turn.result_file, turn as never, null);
    expect(taken).toMatchObject({ summary: expected.summary, status: 'completed' });
  });

  it('knows its turn, calls tools, shows how it goes and what it spends', async () => {
    const { turn, result } = await played(
      coreOf(
        saying(`
        turn.log('begun'); turn.trace('thinking', 'hm'); turn.spent({ input_tokens: 1, output_tokens: 2, usd: 0 });
        console.log('printed');
        const [tool] = await turn.tools();
        const { result } = await turn.callTool(tool.name, { a: 2, b: 3 });
        const mcp = await turn.mcp().catch((error) => error.message);
        const { goal, chat, workspace, config, bundle } = turn;
        return JSON.stringify({ result, mcp, goal, chat, workspace, config, bundle, may: await turn.mayWrite('note.txt'), over: turn.signal.aborted });`),
      ),
    );
    const { goal, chat, workspace, config, bundle } = turn;
    expect(JSON.parse(result.report.text)).toEqual({
      ...{ result: 5, mcp: 'there are no tools here', may: true, over: false },
      ...{ goal, chat, workspace, config, bundle },
    });
    expect(turn.told).toMatchObject({
      logged: expect.arrayContaining(['begun', 'printed']),
      traced: [['thinking', 'hm']],
      spent: [{ input_tokens: 1, output_tokens: 2, usd: 0 }],
      called: [['add', { a: 2, b: 3 }]],
    });
  });

  it.each([
    ['throws', saying("throw new Error('no model')"), /core "scripted": Error: no model/],
    ['has no such class', 'export class Other {}', /exports no class "Core", but Other/],
    ['has no run', 'export class Core {}', /Core of .\/core.mjs has no method "run"/],
    ['is no module', 'export clas', /core "scripted": .*SyntaxError/s],
    ['gives nonsense', saying('return 7'), /a core gives a text or a result, not number/],
    ['ends its process', saying("console.error('bye'); process.exit(4)"), /ended with 4 before it was done: bye/],
    [
      'writes over the lines',
      saying("(await import('node:fs')).writeSync(1, 'x\\n'); await new Promise(() => {})"),
      /does not speak/,
    ],
    ['spends nonsense', saying("turn.spent('much'); await new Promise(() => {})"), /what was spent is no cost/],
    ['imports what is not there', "import 'no-such-package';", /no-such-package/],
  ])('that %s fails the turn, and says why', async (_, body, why) => {
    const den = await Den.open();
    const core = coreOf(body);
    const turn = turnIn(den, core);
    await expect(withEnvironment(core, { project: den.project }).run?.(turn)).rejects.toThrow(why);
    expect(existsSync(turn.result_file)).toBe(false);
  });

  it('that never settles hears that the turn is over, and is gone then', async () => {
    const den = await Den.open();
    const seconds = nap();
    const core = coreOf(
      saying(`const { spawn } = await import('node:child_process'); spawn('sleep', ['${seconds}']);
        turn.signal.addEventListener('abort', () => console.error('over')); turn.log('waiting'); await new Promise(() => {});`),
    );
    const over = new AbortController();
    const turn = turnIn(den, core, over.signal);
    const log = (line: string) => {
      turn.told.logged.push(line);
      if (line === 'waiting') over.abort();
    };
    await expect(withEnvironment(core, { project: den.project }).run?.({ ...turn, log })).rejects.toThrow(
      /before it was done/,
    );
    expect(turn.told.logged).toContain('over');
    expect(running(seconds)).toEqual([]);
  });

  it('stays as it is if it runs in the host', () => {
    const core: AgentCore = { name: 'inside', run: async () => {}, module: './x.js' };
    expect(withEnvironment(core, { project: '/p' })).toBe(core);
  });
});

describe('packages of a core', () => {
  const padding = (version: string) => ({
    fields: { scripts: { postinstall: 'exit 1' }, main: 'index.js' },
    files: [{ path: 'package/pad.mjs', content: `export const version = '${version}';` }],
  });

  it('are installed with all they need, and its files import them', async () => {
    const registry = await registryOf({
      'pad-core': {
        '1.3.0': {
          ...padding('1.3.0'),
          fields: { dependencies: { deep: '^1.0.0' }, scripts: { postinstall: 'exit 1' } },
        },
        '2.0.0': padding('2.0.0'),
      },
      deep: { '1.0.1': {} },
    });
    const text = `import { version } from 'pad-core/pad.mjs'; import deep from 'deep'; ${saying('return `${version}, ${deep}`')}`;
    const core = coreOf(text, {
      packages: ['pad-core@^1.0.0'],
    });
    const { den, result } = await played(core, { registry });
    expect(result.report.text).toBe('1.3.0, deep 1.0.1');
    const lock = JSON.parse(readFileSync(join(den.project, '.patchbay/cores/scripted/core-lock.json'), 'utf8'));
    expect(lock).toMatchObject({
      packages: ['pad-core@^1.0.0'],
      pins: {
        'node_modules/pad-core': { resolved: 'npm:pad-core@1.3.0', integrity: expect.stringMatching(/^sha512-/) },
      },
    });
  });

  it('may hold the class itself', async () => {
    const files = [{ path: 'package/core.mjs', content: saying("return 'packed'") }];
    const registry = await registryOf({ packed: { '1.0.0': { files } } });
    const core = { name: 'packed', module: 'packed/core.mjs', className: 'Core', packages: ['packed'] };
    expect((await played(core, { registry })).result.report.text).toBe('packed');
  });

  it('stay what they were until the core asks for others', async () => {
    const asked: string[] = [];
    const shelf: Parameters<typeof registryOf>[0] = { 'pad-core': { '1.3.0': padding('1.3.0') } };
    const registry = await registryOf(shelf, (path) => asked.push(path));
    const den = await Den.open();
    const text = `import { version } from 'pad-core/pad.mjs'; ${saying('return version')}`;
    const core = coreOf(text, { packages: ['pad-core@^1.0.0'] });
    const version = async (one: AgentCore) => {
      const turn = turnIn(den, one);
      await withEnvironment(one, { project: den.project, registry }).run?.(turn);
      return resultIn(turn.result_file).report.text;
    };
    expect(await version(core)).toBe('1.3.0');
    shelf['pad-core'] = { '1.3.0': padding('1.3.0'), '1.4.0': padding('1.4.0') };
    asked.length = 0;
    expect(await version(core)).toBe('1.3.0');
    expect(asked).toEqual([]);
    rmSync(join(den.project, '.patchbay/cores/scripted/node_modules'), { recursive: true });
    expect(await version(core)).toBe('1.3.0');
    expect(await version({ ...core, packages: ['pad-core@^1.4.0'] })).toBe('1.4.0');
  });

  it.each([
    ['that there are not', 'no-such@^1.0.0', /scripted.*no-such/],
    ['that are of no registry', 'git+https://example.invalid/x.git', /wants "git\+https.*no package of npm/],
    ['by a path', '../evil', /wants "..\/evil", which is no package of npm/],
  ])('%s fail the turn, and nothing is left half done', async (_, spec, why) => {
    const registry = await registryOf({});
    const den = await Den.open();
    const core = coreOf(saying("return ''"), { packages: [spec] });
    const run = withEnvironment(core, { project: den.project, registry }).run?.(turnIn(den, core));
    await expect(run).rejects.toThrow(why);
    expect(existsSync(join(den.project, '.patchbay/cores/scripted'))).toBe(false);
  });

  it('of a core whose name is no folder are refused', async () => {
    const den = await Den.open();
    const core = coreOf(saying("return ''"), { name: '../x' });
    const run = withEnvironment(core, { project: den.project }).run?.(turnIn(den, core));
    await expect(run).rejects.toThrow(/cannot be the name/);
  });
});

describe('the core that plays roles which leave it open', () => {
  const none = { core: null };
  const own = { core: { core: 'llm', with: { model: 'x' } } };
  it.each([
    ['is that of the workspace', own, { PATCHBAY_AGENT_CORE: 'env' }, { core: 'acp', with: {} }, 'acp'],
    ['is that of the project', own, { PATCHBAY_AGENT_CORE: 'env' }, null, 'llm'],
    ['is else that of PATCHBAY_AGENT_CORE', none, { PATCHBAY_AGENT_CORE: 'a', PYNCHY_AGENT_CORE: 'b' }, null, 'a'],
    ['is else that of PYNCHY_AGENT_CORE', none, { PATCHBAY_AGENT_CORE: ' ', PYNCHY_AGENT_CORE: 'b' }, null, 'b'],
    ['is else nobody', none, {}, null, undefined],
  ])('%s', (_, settings, env, workspace, expected) => {
    expect(selectedCore(settings, env, workspace)?.core).toBe(expected);
  });
});
