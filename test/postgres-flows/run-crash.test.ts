import { expect, it } from 'vitest';
import { problemsAfter } from '../run-crash/compare.ts';
import { problemsOfEach, straightRun } from '../run-crash/killed.ts';
import { writing } from '../run-crash/moments.ts';

it('a run whose host is killed before or after it writes into PostgreSQL is resumed to the same end', async () => {
  const { origin, life, straight } = await straightRun();
  expect(straight.kept).not.toContain('ledger.db');
  const problems = await problemsOfEach(writing(life.moments, 16), async (moment) => {
    const scene = origin.copy();
    return problemsAfter(scene, await scene.live({ KILL_AT: moment }), straight);
  });
  expect(problems).toEqual({});
}, 600_000);
