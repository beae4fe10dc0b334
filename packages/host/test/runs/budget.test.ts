import { once } from 'node:events';
import { definePlugin, type EventPayload, type TurnWork } from 'patchbay-sdk';
import { llmCore } from 'plugin-core-llm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startServer } from '../../../../plugins/core-llm/test/server.ts';
import { anthropic, openai } from '../../../../plugins/core-llm/test/wire.ts';
import { goldenOf } from '../../../../test/flows/golden.ts';
import { Stage } from '../../../../test/flows/stage.ts';
import type { LedgerStore } from '../../src/ledger/index.ts';
import type { TurnEnd } from '../../src/runs/workshop.ts';
import { failing, Pretend, result, stage, story, templateOf } from './fixture.ts';

const dollars = (usd: number) => ({ input_tokens: 10, output_tokens: 1, usd });
const stopped: TurnEnd = { ...failing('the run was stopped'), error: { code: 'STOPPED', message: 'stopped' } };

async function failures(ledger: LedgerStore) {
  const failed: EventPayload<'turn:failed'>[] = [];
  for await (const { payload } of ledger.events({ type: 'turn:failed' })) failed.push(payload as (typeof failed)[0]);
  return failed;
}

/** A core that is told how to work. */
function coreOf(name: string, run: (turn: TurnWork) => Promise<void>) {
  return definePlugin({ name: `core-${name}`, version: '1.0.0', provides: { agentCore: () => ({ name, run }) } });
}

const capped = (core: string, limits: string) =>
  `name: flow\nroles: { developer: { core: ${core}, writes: ["src/**"] } }\n` +
  `phases: [{ name: building, steps: [{ role: developer }] }]\nlimits: ${limits}\n`;

describe('What turns cost counts against the budget', () => {
  it('if they fail, too', async () => {
    const workshop = new Pretend(() => ({ ...failing('no result'), cost: dollars(1) }));
    const { run, ledger } = await stage(workshop);
    const state = await run(templateOf({ build: ['developer'] }, { limits: { attempts: 9, usd: 2.5 } }));
    expect(state).toMatchObject({ status: 'held', reason: 'the budget of 2.5 USD is used up (3)' });
    expect(state.cost).toEqual({ input_tokens: 30, output_tokens: 3, usd: 3 });
    expect((await failures(ledger)).map(({ cost }) => cost)).toEqual([dollars(1), dollars(1), dollars(1)]);
  });

  it('if their results are no good: a real run whose script says what it cost', async () => {
    const stage = new Stage('costly');
    const { service } = await stage.start();
    const state = await stage.run(service);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
    expect(state).toMatchObject({ status: 'held', cost: { input_tokens: 300, output_tokens: 30, usd: 3 } });
  });

  it('if the host ends before they do: what was spent then is not forgotten', async () => {
    const first = Promise.withResolvers<void>();
    let times = 0;
    const core = coreOf('slow', async (turn) => {
      turn.spent(dollars(1));
      times += 1;
      if (times > 1) throw new Error('no idea');
      first.resolve();
      await once(turn.signal, 'abort');
    });
    const stage = new Stage('capped', { files: { 'x.txt': '' } });
    stage.write('patchbay/templates/flow.yaml', capped('slow', '{ attempts: 1 }'));
    stage.commit();
    const { service } = await stage.start(core);
    const ending = new AbortController();
    const run_id = await service.runs.request({ template: stage.template(), goal: 'x', by: 'pat' });
    const begun = service.runs.advance(run_id, ending.signal);
    await first.promise;
    ending.abort();
    expect(await begun).toMatchObject({ status: 'active', cost: { usd: 0 } });
    expect(await stage.advance(service, run_id)).toMatchObject({ status: 'held', cost: { usd: 2 } });
  });

  it('even if the result claims less than the core has told', async () => {
    const core = coreOf('modest', async (turn) => {
      turn.spent(dollars(1.5));
      turn.spent(dollars(0.25));
      const { writeFileSync } = await import('node:fs');
      writeFileSync(turn.result_file, JSON.stringify({ summary: 'Done', cost: { ...dollars(1), input_tokens: 99 } }));
    });
    const stage = new Stage('capped');
    stage.write('patchbay/templates/flow.yaml', capped('modest', '{ usd: 5 }'));
    stage.commit();
    const { service } = await stage.start(core);
    expect((await stage.run(service)).cost).toEqual({ input_tokens: 99, output_tokens: 2, usd: 1.75 });
  });

  it('and a cost that is none is the fault of the core', async () => {
    const core = coreOf('odd', async (turn) => turn.spent({ ...dollars(-1), input_tokens: Number.NaN }));
    const stage = new Stage('capped');
    stage.write('patchbay/templates/flow.yaml', capped('odd', '{ attempts: 1 }'));
    stage.commit();
    const { service } = await stage.start(core);
    const state = await stage.run(service);
    expect(state).toMatchObject({ status: 'held', reason: expect.stringMatching(/what was spent is no cost: .*usd/) });
  });
});

describe('A turn under way', () => {
  it('is stopped as soon as the budget is used up, and the run is held with the figures', async () => {
    const workshop = new Pretend(async (_, signal, spent) => {
      spent(dollars(1));
      expect(signal.aborted).toBe(false);
      spent(dollars(2.5));
      expect(signal.aborted).toBe(true);
      return { ...stopped, cost: dollars(2.5) };
    });
    const { run, ledger } = await stage(workshop);
    const state = await run(templateOf({ build: ['developer'] }, { limits: { usd: 2 } }));
    expect(state).toMatchObject({ status: 'held', reason: 'the budget of 2 USD is used up (2.5)', cost: { usd: 2.5 } });
    const error = { code: 'BUDGET', message: 'it was stopped: the budget of 2 USD is used up (2.5)' };
    expect(await failures(ledger)).toMatchObject([{ error, cost: dollars(2.5) }]);
    expect((await story(ledger)).slice(-2)).toEqual(['turn:failed build.developer#1', 'run:held']);
  });

  it('is stopped with all others of its run, by what they have spent together', async () => {
    const both = Promise.withResolvers<void>();
    let working = 0;
    const workshop = new Pretend(async (_, signal, spent) => {
      if (++working === 2) both.resolve();
      await both.promise;
      const aborted = signal.aborted ? undefined : once(signal, 'abort');
      spent(dollars(1));
      await aborted;
      return { ...stopped, cost: dollars(1) };
    });
    const { run, ledger } = await stage(workshop);
    const state = await run(templateOf({ build: [['a', 'b']] }, { limits: { usd: 2 } }));
    expect(state).toMatchObject({ status: 'held', reason: 'the budget of 2 USD is used up (2)', cost: { usd: 2 } });
    expect((await failures(ledger)).map(({ error }) => error.code)).toEqual(['BUDGET', 'BUDGET']);
    expect(workshop.worked).toHaveLength(2);
  });

  it('counts what was spent before it', async () => {
    const workshop = new Pretend(({ phase }, signal, spent) => {
      if (phase === 'a') return result({ cost: { input_tokens: 900, output_tokens: 0, usd: 0 } });
      spent({ input_tokens: 50, output_tokens: 49, usd: 0 });
      expect(signal.aborted).toBe(false);
      spent({ input_tokens: 50, output_tokens: 51, usd: 0 });
      return signal.aborted ? { ...stopped, cost: { input_tokens: 50, output_tokens: 51, usd: 0 } } : result();
    });
    const { run } = await stage(workshop);
    const state = await run(templateOf({ a: ['x'], b: ['y'] }, { limits: { tokens: 1000 } }));
    expect(state).toMatchObject({ status: 'held', reason: 'the budget of 1000 tokens is used up (1001)' });
  });

  it('is stopped when the time of its run is over', async () => {
    const workshop = new Pretend(async (_, signal) => {
      await once(signal, 'abort');
      return stopped;
    });
    const { run } = await stage(workshop);
    const state = await run(templateOf({ build: ['developer'] }, { limits: { runTimeoutMs: 50 } }));
    expect(state).toMatchObject({ status: 'held', reason: 'the run has taken longer than it may' });
  });

  it.each([openai, anthropic])('on a model that speaks $provider is stopped between two of its steps', async (wire) => {
    vi.stubEnv('LLM_TEST_KEY', 'sk-secret-key-1234');
    onTestFinished(() => void vi.unstubAllEnvs());
    // Each answer is said to cost 100 tokens in, 20 out: a cent.
    const server = await startServer([wire.calls({ tool: 'list_files', args: {} })], wire.refuse);
    const stage = new Stage('capped');
    const access = `base_url: "${server.url}", api_key_env: LLM_TEST_KEY, max_tokens: 100`;
    const settings = `{ provider: ${wire.provider}, model: m, ${access}, price: { input: 50, output: 250 } }`;
    stage.write('patchbay.yaml', `runs: { roles: { developer: { core: llm, with: ${settings} } } }\n`);
    const { service } = await stage.start(llmCore);
    const state = await stage.run(service);
    expect(state).toMatchObject({
      status: 'held',
      reason: 'the budget of 0.025 USD is used up (0.03)',
      cost: { input_tokens: 300, output_tokens: 60 },
    });
    expect(server.asked.length).toBeLessThanOrEqual(4);
    await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
  });
});
