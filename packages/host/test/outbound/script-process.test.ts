import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { confinements, nap } from '../sandbox/fixture.ts';
import { ScriptPlugin } from './script-fixture.ts';

describe.each(confinements)('the contract of processes of the 0.1 form, confined by %s', (confinement) => {
  let plugin: ScriptPlugin;
  beforeAll(() => {
    plugin = new ScriptPlugin(confinement);
  });
  afterEach(() => expect(plugin.leftovers()).toEqual([]));
  afterAll(() => plugin.close());

  /** The envelope that a process is given. */
  async function envelope(told: Parameters<ScriptPlugin['callProcess']>[1] = {}) {
    return JSON.parse((await plugin.callProcess('cat >&2', told)).output);
  }

  it('it gets an envelope on its input, with the payload under our names', async () => {
    const { payload, ...rest } = await envelope();
    expect(rest).toEqual({
      hook_phase: 'after_acceptance',
      hook_name: 'plugin-notify:after_acceptance',
      run_id: 'run-1',
      project_root: plugin.project,
      timestamp: '2026-01-01T12:00:00.000Z',
    });
    expect(payload).toMatchObject(plugin.payload());
  });

  it('after_acceptance has the payload under the names of that form, too', async () => {
    expect((await envelope()).payload).toMatchObject({
      phase: 'implementation',
      role_id: 'developer',
      turn_id: 'turn-2',
      decisions_count: 1,
      objections_count: 0,
      run_status: 'active',
    });
  });

  it.each([
    ['review', 'phase_transition'],
    [null, 'run_completion'],
  ])('before_gate has them: to phase %j it is %s', async (to_phase, gate_type) => {
    const { payload } = await envelope({ event: 'gate:pending', phase: 'before_gate', payload: { to_phase } });
    expect(payload).toMatchObject({ gate_type, current_phase: 'implementation', target_phase: to_phase });
  });

  it('on_escalation has them', async () => {
    const { payload } = await envelope({ event: 'run:held', phase: 'on_escalation' });
    expect(payload).toMatchObject({
      run_status: 'blocked',
      history_length: 3,
      decisions_count: 1,
      objections_count: 0,
      blocked_reason: 'Retries exhausted',
      failed_turn_id: 'turn-2',
      failed_role: 'developer',
    });
  });

  it('words that begin with ./ or ../ are files of the plugin, others are as they are', async () => {
    const { output } = await plugin.callProcess('echo "$0 $1 $2" >&2');
    expect(output).toBe(`${join(plugin.dir, 'hooks/process.sh')} argument ${join(plugin.dir, '../outside')}\n`);
  });

  it.each([
    ['AGENTXCHAIN_HOOK_PHASE', 'after_acceptance'],
    ['AGENTXCHAIN_HOOK_NAME', 'plugin-notify:after_acceptance'],
    ['AGENTXCHAIN_RUN_ID', 'run-1'],
    ['AGENTXCHAIN_PLUGIN_NAME', 'plugin-notify'],
    ['AGENTXCHAIN_PLUGIN_VERSION', '1.2.0'],
    ['AGENTXCHAIN_PLUGIN_CONFIG', '{"channel":"#agents"}'],
    ['PATCHBAY_DELIVERY_KEY', 'delivery-7'],
  ])('%s is %j', async (name, value) => {
    expect((await plugin.callProcess(`printf %s "$${name}" >&2`)).output).toBe(value);
  });

  it('AGENTXCHAIN_PROJECT_ROOT is the folder of the project, where it runs', async () => {
    const { output } = await plugin.callProcess('echo "$AGENTXCHAIN_PROJECT_ROOT" >&2; pwd >&2');
    expect(output).toBe(`${plugin.project}\n${plugin.project}\n`);
  });

  it.each([
    ['allow', 'ok', 'ok'],
    ['warn', 'warn', 'warn'],
    ['block', 'ok', 'block'],
  ])('verdict %s is status %s, verdict %s', async (said, status, verdict) => {
    const answer = JSON.stringify({ verdict: said, message: 'because', annotations: { found: 2 } });
    expect(await plugin.callProcess(`cat >/dev/null; echo '${answer}'`)).toMatchObject({
      status,
      verdict,
      message: 'because',
      annotations: { found: 2 },
      exit_code: 0,
    });
  });

  it('annotations may be a list of keys and values', async () => {
    const answer = '{"verdict":"allow","annotations":[{"key":"risk","value":"low"},{"key":"by","value":"me"},7]}';
    expect((await plugin.callProcess(`echo '${answer}'`)).annotations).toEqual({ risk: 'low', by: 'me' });
  });

  it('no answer with exit code 0 allows', async () => {
    const outcome = await plugin.callProcess('true');
    expect(outcome).toMatchObject({ status: 'ok', verdict: 'ok', message: null, annotations: null });
  });

  it.each([
    'hello',
    '{"verdict":"allow"',
    '{"verdict":"maybe"}',
    '{"verdict":"constructor"}',
    '{}',
    'null',
    '[]',
    '"allow"',
  ])('%s is no verdict, and a failure', async (answer) => {
    expect(await plugin.callProcess(`echo '${answer}'`)).toMatchObject({
      status: 'failed',
      verdict: 'fail',
      message: `answered what is no verdict: ${answer}`,
      exit_code: 0,
    });
  });

  it('an answer without end is no verdict', async () => {
    const outcome = await plugin.callProcess('yes \'{"verdict":"allow"}\' | head -c 10000000');
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail' });
    expect(outcome.message?.length).toBeLessThan(2_000);
  });

  it('an exit code other than 0 is a failure, whatever it answered', async () => {
    const outcome = await plugin.callProcess(`echo '{"verdict":"allow"}'; echo broken >&2; exit 2`);
    expect(outcome).toMatchObject({
      status: 'failed',
      verdict: 'fail',
      message: 'exited with 2: broken',
      exit_code: 2,
    });
  });

  it('no answer in time is a failure', async () => {
    const outcome = await plugin.callProcess(`sleep ${nap()}`, { timeoutMs: 150 });
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', timed_out: true });
  });

  it('it need not read its input', async () => {
    const payload = { summary: 'x'.repeat(2_000_000) };
    expect(await plugin.callProcess(`exec 0<&-; echo '{"verdict":"warn"}'`, { payload })).toMatchObject({
      verdict: 'warn',
    });
  });

  it('secrets do not appear in message, annotations or output, and do not change the verdict', async () => {
    const answer = '{"verdict":"block","message":"saw hunter22","annotations":{"hunter22":["hunter22"]}}';
    const outcome = await plugin.callProcess(`echo '${answer}'`, { secrets: ['hunter22', 'block', 'verdict'] });
    expect(outcome).toMatchObject({ verdict: 'block', message: 'saw ***', annotations: { '***': ['***'] } });
    expect(outcome.output).not.toContain('hunter22');
  });
});
