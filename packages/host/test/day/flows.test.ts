import { describe, expect, it } from 'vitest';
import { DayStage } from '../../../../test/flows/day-stage.ts';
import { goldenOf } from '../../../../test/flows/golden.ts';
import type { Staging } from '../../../../test/flows/stage.ts';

/** Carries the first day of a case out, and compares the ledger with the golden one. */
async function played(name: string, staging: Staging = {}) {
  const stage = new DayStage(name, staging);
  const { service, close } = await stage.start();
  const state = await stage.day(service);
  await expect(goldenOf(stage.events, stage.dir)).toMatchFileSnapshot(stage.golden);
  expect(await service.ledger.verify()).toMatchObject({ ok: true });
  return { stage, state, service, close };
}

describe('A day', () => {
  it('that goes straight is shipped, and its documents can be read', async () => {
    const { stage, state } = await played('day-shipped');
    expect(state.status).toBe('completed');
    expect(stage.result(state, 'src/b.txt')).toBe('code');
    expect(stage.document(1, 'story')).toMatch(/^# PRIME \(story\.prime, attempt 1\) in run-.*\ntitle: Paging\n/);
    expect(stage.document(1, 'handoff')).toContain('notes: nothing is left');
    expect(stage.document(1, 'gate')).toContain('gate_decision: SHIP');
    expect(['sentinel', 'conduit'].map((name) => stage.document(1, name))).not.toContain(undefined);
  });

  it('goes the same way in a folder that is no repository', async () => {
    const { stage } = await played('day-shipped', { repository: false });
    expect(stage.read('src/b.txt')).toBe('code\n');
    expect(stage.document(1, 'gate')).toContain('gate_decision: SHIP');
  });

  it('is held with the last reason of its reviewers when FORGE has tried often enough', async () => {
    const { stage, state } = await played('day-held');
    expect(state).toMatchObject({ status: 'held', reason: 'pages begin with 0' });
    expect(stage.document(1, 'gate')).toContain('hold_reason: pages begin with 0');
  });

  it('sends FORGE back with the reason for a HOLD, and with what is wrong with its handoff', async () => {
    const { stage, state } = await played('day-retried');
    expect(state.status).toBe('completed');
    expect(stage.document(1, 'handoff')).toContain('# FORGE (build.forge, attempt 3)');
  });

  it('is not blamed on FORGE what the host writes down meanwhile, where there is no repository', async () => {
    await played('day-retried', { repository: false });
  });

  it('sends FORGE back once for what is only advised, then records it and goes on', async () => {
    const { state } = await played('day-advisory');
    expect(state).toMatchObject({ status: 'completed', advisories: [expect.any(String), expect.any(String)] });
  });

  it('counts a reviewer that crashes, or contradicts itself, as one that holds', async () => {
    const { stage, state } = await played('day-crashed');
    expect(state.status).toBe('completed');
    expect(stage.document(1, 'sentinel')).toContain('sentinel_decision: SHIP');
  });
});
