import { describe, expect, it } from 'vitest';
import { openHost } from '../../src/host.ts';
import { confinements, nap, running } from '../sandbox/fixture.ts';
import { begin, type UnderWay } from './turn-fixture.ts';

const role = 'core: script, with: { command: [./agent.sh] }';

/** Programs that do not go when they are asked to, by what they do. */
const stubborn: readonly (readonly [string, (seconds: string) => string])[] = [
  ['ignores SIGTERM', (seconds) => `trap '' TERM; sleep ${seconds} & echo ready; wait; sleep ${seconds}`],
  ['has stopped itself', (seconds) => `sleep ${seconds} & echo ready; kill -STOP $$`],
];
/** In a process group, such a one is lost. */
const escaped = [
  'has children in sessions of their own',
  (seconds: string) =>
    `setsid sleep ${seconds} & setsid bash -c "trap '' TERM; sleep ${seconds}; sleep ${seconds}" & sleep 0.2; echo ready; wait`,
] as const;
const programs = confinements.includes('namespace') ? [...stubborn, escaped] : stubborn;

describe.each(programs)('A program that %s', (_, agent) => {
  async function atWork(): Promise<{ run: UnderWay; seconds: string }> {
    const seconds = nap();
    const run = await begin({ role, agent: agent(seconds) });
    await run.told(/ready/);
    expect(running(seconds)).not.toEqual([]);
    return { run, seconds };
  }

  it('is gone, with all that it started, when the run is stopped, which can be carried on', async () => {
    const { run, seconds } = await atWork();
    run.stop.abort();
    expect(await run.ended).toMatchObject({ status: 'active', turns: [{ state: 'dispatched', attempt: 1 }] });
    expect(running(seconds)).toEqual([]);
  });

  it('is gone, with all that it started, when the run is aborted beside its host', async () => {
    const { run, seconds } = await atWork();
    const beside = await openHost({ cwd: run.stage.dir, version: '0.0.0' });
    try {
      await beside.beside((runs) => runs.abort(run.run_id, 'ann', 'not needed'));
    } finally {
      await beside.close();
    }
    expect(await run.ended).toMatchObject({ status: 'aborted', reason: 'ann: not needed' });
    expect(running(seconds)).toEqual([]);
  });

  it('is gone, with all that it started, when the run is aborted by its own host', async () => {
    const { run, seconds } = await atWork();
    await run.service.runs.abort(run.run_id, 'ann', 'not needed');
    expect(await run.ended).toMatchObject({ status: 'aborted' });
    expect(running(seconds)).toEqual([]);
  });
});
