import { join } from 'node:path';
import { acpCore } from 'plugin-core-acp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../../test/project.ts';
import { keptText } from '../../../../test/store.ts';
import { confinements, nap, running } from '../sandbox/fixture.ts';
import { begin } from './turn-fixture.ts';

const agent = join(root, 'plugins/core-acp/test/agent/main.ts');

/** Begins a run whose only role is played by the fake agent, in this scene. */
function played(scene: string) {
  const command = JSON.stringify([process.execPath, agent, scene]);
  return begin({ role: `core: acp, with: { command: ${command}, env: [ACP_TEST_SECONDS] }`, cores: [acpCore] });
}

function secondsFor(): string {
  const seconds = nap();
  process.env['ACP_TEST_SECONDS'] = seconds;
  onTestFinished(() => {
    delete process.env['ACP_TEST_SECONDS'];
  });
  return seconds;
}

describe('An agent that speaks the Agent Client Protocol', () => {
  it('plays a role', async () => {
    const { ended, log, stage } = await played('works by the client');
    const state = await ended;
    expect({ status: state.status, log }).toMatchObject({
      status: 'completed',
      log: [
        'tool: Mend it',
        expect.stringMatching(/^wrote: .*src\/deep\/b.txt$/),
        ...Array(4).fill(expect.any(String)),
      ],
    });
    expect(stage.result(state, 'src/deep/b.txt')).toBe('');
  });

  it('that dies is told of with its exit code', async () => {
    const { ended, failure } = await played('dies in between');
    await ended;
    expect(await failure()).toMatchObject({
      error: { message: expect.stringMatching(/exited with 3 before it was done: the model/) },
      exit_code: 3,
    });
  });

  it('that is stopped is gone then', async () => {
    const { ended, stop, told } = await played('heeds the cancel');
    await told(/begun/);
    stop.abort();
    await ended;
    expect(running(`${agent}\0heeds the cancel`)).toEqual([]);
  });
});

describe.runIf(confinements.includes('namespace'))('An agent that speaks it, in a namespace', () => {
  it('cannot write the ledger, and leaves no process behind, in whatever session', async () => {
    const seconds = secondsFor();
    const { ended, stage, service, run_id } = await played('attacks the ledger');
    const state = await ended;
    expect(state).toMatchObject({ status: 'completed', turns: [{ result: { summary: 'EROFS, EROFS, EBUSY' } }] });
    expect(await keptText(stage.dir)).toContain(run_id);
    expect(await service.ledger.verify()).toMatchObject({ ok: true });
    expect(running(seconds)).toEqual([]);
  });

  it('is gone with all that it started when its run is stopped, though it heeds nothing', async () => {
    const { ended, stop, told } = await played('hangs for good');
    await told(/pids/);
    stop.abort();
    expect(await ended).toMatchObject({ status: 'active' });
    expect(running(`${agent}\0hangs for good`)).toEqual([]);
  });
});
