import { expect } from 'vitest';
import type { Package } from '../crash/packages.ts';
import { type Life, RunScene, type Traces } from './scene.ts';

/** The project, and a run of it that nobody disturbed. */
export async function straightRun(
  flags?: readonly string[],
  files?: Package,
): Promise<{ origin: RunScene; life: Life; straight: Traces }> {
  const origin = RunScene.make(files);
  const scene = origin.copy();
  const life = await scene.live({ KILL_AT: '0' }, flags);
  expect(life.how, life.stderr).toEqual([0, null]);
  expect(await scene.left()).toEqual([]);
  return { origin, life, straight: scene.traces(JSON.parse(life.stdout)) };
}

/** Does something with each, two at a time; gives the problems of those that have some. */
export async function problemsOfEach(names: readonly string[], act: (name: string) => Promise<string[]>) {
  const waiting = [...names];
  const found: Record<string, string[]> = {};
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const problems = await act(name);
      if (problems.length > 0) found[name] = problems;
    }
  };
  await Promise.all([work(), work()]);
  return found;
}
