import { describe, expect, it } from 'vitest';
import { DayStage } from '../../../../test/flows/day-stage.ts';
import { backlogOf } from '../../src/day/index.ts';
import { advisoryId } from '../../src/runs/reviews.ts';

describe('The backlog of advisories', () => {
  it('holds what was shipped with a concern, until somebody clears it', async () => {
    const stage = new DayStage('day-advisory');
    const { service } = await stage.start();
    const { run_id } = await stage.day(service);
    const id = advisoryId('sentinel', 'timeouts: src/b.txt:1: no timeout');
    expect(await backlogOf(service.ledger)).toMatchObject([
      { id, by: 'sentinel', advisory: 'timeouts: src/b.txt:1: no timeout', days: [1], runs: [run_id], cleared: null },
      { by: 'sentinel', advisory: 'links: src/a.txt:1: stale', days: [1], cleared: null },
    ]);
    expect(await service.runs.clear(id, 'ann', 'on purpose')).toMatchObject({ cleared: { by: 'ann' } });
    expect((await backlogOf(service.ledger))[0]).toMatchObject({ cleared: { by: 'ann', reason: 'on purpose' } });
    expect(await service.runs.clear(id, 'bob', 'again')).toMatchObject({ cleared: { by: 'ann' } });
    await expect(service.runs.clear('adv-nope', 'ann', 'x')).rejects.toMatchObject({ code: 'ADVISORY_UNKNOWN' });
  });

  it('tells reviewers what is cleared, and that is not raised again', async () => {
    const stage = new DayStage('day-advisory');
    const { service } = await stage.start();
    await stage.day(service);
    for (const { id } of await backlogOf(service.ledger)) await service.runs.clear(id, 'ann', 'on purpose');
    const state = await stage.day(service);
    expect(state).toMatchObject({ status: 'completed', advisories: [] });
    expect(state.turns.find(({ role }) => role === 'forge')?.attempt).toBe(1);
    const story = stage.read(`.patchbay/runs/${state.run_id}/turns/build.forge.1.sentinel-1/bundle/story.json`);
    expect(JSON.parse(story ?? '')).toMatchObject({
      cleared: ['timeouts: src/b.txt:1: no timeout', 'links: src/a.txt:1: stale'],
    });
  });

  it('raises an open one again on the next day, and keeps it once', async () => {
    const stage = new DayStage('day-advisory');
    const { service } = await stage.start();
    await stage.day(service);
    await stage.day(service);
    expect((await backlogOf(service.ledger)).map(({ days }) => days)).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('knows a concern again whose line has moved', () => {
    const at = (line: number) => advisoryId('sentinel', `timeouts: src/b.txt:${line}: no timeout`);
    expect(at(1)).toBe(at(217));
    expect(at(1)).not.toBe(advisoryId('gate', 'timeouts: src/b.txt:1: no timeout'));
    expect(at(1)).not.toBe(advisoryId('sentinel', 'timeouts: src/c.txt:1: no timeout'));
  });
});
