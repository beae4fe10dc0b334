import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../project.ts';
import { problemsAfter } from '../run-crash/compare.ts';
import { problemsOfEach, straightRun } from '../run-crash/killed.ts';
import { chosen } from '../run-crash/moments.ts';
import { committedDay } from '../run-crash/project.ts';

const preload = join(root, 'test/long/kill-at.mjs');

describe('a run whose host is killed', () => {
  it('before or after any step or effect is resumed to the same end', async () => {
    const { origin, life, straight } = await straightRun();
    const moments = chosen(life.moments);
    const problems = await problemsOfEach(moments, async (moment) => {
      const scene = origin.copy();
      return problemsAfter(scene, await scene.live({ KILL_AT: moment }), straight);
    });
    process.stderr.write(`${moments.length} of ${life.moments.length} moments\n`);
    expect(problems).toEqual({});
  });

  it('on a day, after FORGE, a review that crashed or a concern, is resumed to the same end', async () => {
    const { origin, life, straight } = await straightRun([], committedDay);
    const telling =
      /append (?:turn:(?:submitted|rejected) build\.forge#|turn:(?:failed|submitted) build\.forge\.1\.|advisory:)|^after core build\.forge#/;
    const moments = life.moments.filter((moment) => telling.test(moment));
    expect(moments.length).toBeGreaterThan(12);
    const problems = await problemsOfEach(moments, async (moment) => {
      const scene = origin.copy();
      return problemsAfter(scene, await scene.live({ KILL_AT: moment }), straight);
    });
    expect(problems).toEqual({});
  });

  it('at a change of any file is resumed to the same end', async () => {
    const { origin, life, straight } = await straightRun(['--import', preload]);
    const steps = Number(/steps (\d+)/.exec(life.stderr)?.[1]);
    expect(steps).toBeGreaterThan(50);
    const every = Math.ceil(steps / 16);
    const places = Array.from({ length: Math.floor(steps / every) }, (_, i) => String((i + 1) * every - 1));
    const problems = await problemsOfEach(places, async (at) => {
      const scene = origin.copy();
      return problemsAfter(scene, await scene.live({ KILL_AT: at }, ['--import', preload]), straight);
    });
    process.stderr.write(`${places.length} of ${steps} changes of files\n`);
    expect(problems).toEqual({});
  });
});
