import { readFileSync } from 'node:fs';
import type { EventPayload } from 'patchbay-sdk';
import { llmCore } from 'plugin-core-llm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Stage } from '../../../../test/flows/stage.ts';
import { moduleForm } from '../host/fixture.ts';
import { processesIn } from '../sandbox/isolated-fixture.ts';

/** A model that writes a file with its process, then hands in a result: the body of `generate`. */
const works = `
  const usage = { inputTokens: 100, outputTokens: 20 };
  const call = (name, input) => ({ text: '', calls: [{ id: 'one', name, input }], usage });
  if (messages.some(({ role }) => role === 'tool')) {
    return call('submit_result', { status: 'completed', summary: 'by ' + model });
  }
  return call('write_file', { path: 'src/b.txt', content: String(process.pid) });`;

/** A module plugin with the provider NAME. */
const moduleOf = (plugin: string, name: string, generate: string) => `import { z } from 'patchbay-sdk/zod';
export default { name: '${plugin}', version: '1.0.0', config: z.object({ key: z.string().optional() }), provides: { llmProvider: (_, { config }) => ({
  name: '${name}', generate: async ({ model, messages }) => { ${generate} } }) } };`;

/** A project whose only role is played on this provider. */
function staged(provider: string, { role = '', attempts = 1, files = {} } = {}): Stage {
  const settings = `provider: ${provider}, model: big, price: { input: 10, output: 50 }`;
  const flow = `name: flow
roles: { developer: { core: llm, with: { ${settings} }, writes: ["src/**"]${role} } }
phases: [{ name: building, steps: [{ role: developer }] }]
limits: { attempts: ${attempts} }
`;
  const ignored = '.patchbay/\nsources/\nnode_modules/\n';
  const stage = new Stage('straight', { files: { '.gitignore': ignored, ...files } });
  stage.write('patchbay/templates/flow.yaml', flow);
  return stage;
}

/** Begins the run; with what it came to, and why turns failed. */
async function played(stage: Stage) {
  stage.commit();
  const { service, close } = await stage.start(llmCore);
  const state = await stage.run(service);
  const failures: EventPayload<'turn:failed'>[] = [];
  for await (const { payload } of service.ledger.events({ type: 'turn:failed' })) {
    failures.push(payload as EventPayload<'turn:failed'>);
  }
  return { state, close, errors: failures.map(({ error }) => error) };
}

const worked = {
  status: 'completed',
  turns: [{ result: { summary: 'by big', cost: { input_tokens: 200, output_tokens: 40, usd: 0.004 } } }],
  cost: { input_tokens: 200, output_tokens: 40, usd: 0.004 },
};

describe('A role is played on the provider', () => {
  it('of a module of the project', async () => {
    const stage = staged('house', {
      files: {
        'patchbay.yaml': 'plugins:\n  lender:\n    path: lender.mjs\n',
        'lender.mjs': moduleOf('lender', 'house', works),
      },
    });
    const { state, errors } = await played(stage);
    expect(errors).toEqual([]);
    expect(state).toMatchObject(worked);
    expect(stage.result(state, 'src/b.txt')).toBe(String(process.pid));
  });

  it('of an installed package, in a process of its own', async () => {
    const stage = staged('house');
    await stage.install('lender', moduleForm('lender', ['llmProvider'], moduleOf('lender', 'house', works)));
    const { state, errors } = await played(stage);
    expect(errors).toEqual([]);
    expect(state).toMatchObject(worked);
    expect(stage.result(state, 'src/b.txt')).toMatch(/^\d+$/);
    expect(stage.result(state, 'src/b.txt')).not.toBe(String(process.pid));
  });

  const model = `export class Model {
    async generate({ model, messages }) { if (this.config.region !== 'here') throw new Error('where?'); ${works} } }`;
  const pace = {
    'package.json': JSON.stringify({ dependencies: { 'pace-house': '1.0.0' } }),
    'node_modules/pace-house/package.json': JSON.stringify({
      name: 'pace-house',
      version: '1.0.0',
      type: 'module',
      pace: { llm_providers: { house_llm: './model.js#Model' } },
    }),
    'node_modules/pace-house/model.js': model,
  };
  it.each(['[]', '[house_llm]'])(
    'of the group llm_providers of PACE, by the name of the entry, where it trusts %s',
    async (trusted) => {
      const settings = `plugins: { config: { house_llm: { region: here } }, trusted: ${trusted} }\n`;
      const stage = staged('house_llm', { files: { ...pace, 'pace/pace.config.yaml': settings } });
      const { state, errors } = await played(stage);
      expect(errors).toEqual([]);
      expect(state).toMatchObject(worked);
      expect(stage.result(state, 'src/b.txt') === String(process.pid)).toBe(trusted !== '[]');
    },
  );
});

describe('A provider', () => {
  it('that nobody provides is an error that lists those that there are', async () => {
    const stage = staged('huose');
    await stage.install('lender', moduleForm('lender', ['llmProvider'], moduleOf('lender', 'house', works)));
    const { state, errors } = await played(stage);
    expect(state.status).toBe('held');
    const message =
      'there is no provider "huose", known are anthropic, openai-compatible, house; did you mean "house"?';
    expect(errors).toEqual([{ code: 'CORE_FAILED', message }]);
  });

  it('whose process dies fails its turn; the next attempt has a new process', async () => {
    const dies = `if (/"attempt":\\s*1\\b/.test(messages[0].text)) process.exit(7);`;
    const stage = staged('house', { attempts: 2 });
    const text = moduleOf('lender', 'house', dies + works);
    await stage.install('lender', moduleForm('lender', ['llmProvider'], text));
    const { state, errors } = await played(stage);
    expect(errors).toEqual([{ code: 'CORE_FAILED', message: expect.stringMatching(/exited with code 7/) }]);
    expect(errors[0]?.message).toMatch(/^provider "house" of plugin "lender" failed: /);
    expect(state.status).toBe('completed');
  });

  it.each(['isolated', 'module'])('that never answers is left when the time of the turn is over (%s)', async (kind) => {
    const text = moduleOf('lender', 'house', 'setInterval(() => {}, 1000).unref(); await new Promise(() => {});');
    const plugins = kind === 'module' ? 'plugins:\n  lender:\n    path: lender.mjs\n' : '';
    const stage = staged('house', { role: ', timeout: 2s', files: { 'patchbay.yaml': plugins, 'lender.mjs': text } });
    if (kind === 'isolated') await stage.install('lender', moduleForm('lender', ['llmProvider'], text));
    const { state, errors, close } = await played(stage);
    expect(state.status).toBe('held');
    expect(errors).toEqual([{ code: 'TIMEOUT', message: 'developer took longer than 2 s' }]);
    const log = readFileSync(stage.file(`.patchbay/runs/${state.run_id}/turns/building.developer-1/log.txt`), 'utf8');
    expect(log).toContain('provider "house" of plugin "lender" had not answered when the turn was stopped');
    await close();
    await vi.waitFor(() => expect(processesIn(stage.dir)).toEqual([]), { timeout: 60_000 });
  });

  it('that quotes the key of its plugin does not get it into the ledger', async () => {
    vi.stubEnv('LENDER_KEY', 'sk-very-secret');
    onTestFinished(() => void vi.unstubAllEnvs());
    const stage = staged('house');
    const text = moduleOf('lender', 'house', `throw new Error('wrong key ' + config.key);`);
    const config = { key: '${LENDER_KEY}' };
    await stage.install('lender', moduleForm('lender', ['llmProvider'], text), { config });
    const { errors } = await played(stage);
    expect(errors[0]?.message).toBe('provider "house" of plugin "lender" failed: wrong key ***');
  });
});
