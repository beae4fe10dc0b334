import { PatchbayError } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { readPlan } from '../../src/day/plan.ts';

const planOf = (text: string) => readPlan(`${folder({ 'plan.yaml': text })}/plan.yaml`);
const targets = (text: string) => planOf(text).days.map(({ day, target }) => [day, target]);

function problemsOf(text: string): (string | number | null)[][] {
  try {
    planOf(text);
  } catch (error) {
    if (!(error instanceof PatchbayError) || error.code !== 'PLAN_INVALID') throw error;
    return (error.problems as { path: string; message: string; line: number | null }[]).map((problem) => [
      problem.line,
      problem.path,
      problem.message,
    ]);
  }
  throw new Error('nothing is wrong with it');
}

describe('A plan', () => {
  it('of days with a target each is read, in the order of days', () => {
    expect(targets('days:\n  - { day: 2, target: Paging }\n  - { day: 1, target: Lists }\n')).toEqual([
      [1, 'Lists'],
      [2, 'Paging'],
    ]);
  });

  it('of days with stories each is read, with all that it says of them', () => {
    const { days } = planOf('days:\n  - stories: [Lists, { title: Paging, points: 3 }]\n  - stories: [Search]\n');
    expect(days).toEqual([
      { day: 1, target: 'Lists; Paging', entry: { stories: ['Lists', { title: 'Paging', points: 3 }] } },
      { day: 2, target: 'Search', entry: { stories: ['Search'] } },
    ]);
  });

  it('of stories alone has a day for each, or as many for a day as say so', () => {
    expect(targets('stories:\n  - Lists\n  - { story: Paging }\n')).toEqual([
      [1, 'Lists'],
      [2, 'Paging'],
    ]);
    expect(targets('stories:\n  - { title: A, day: 2 }\n  - { title: B, day: 1 }\n  - { title: C, day: 2 }\n')).toEqual(
      [
        [1, 'B'],
        [2, 'A; C'],
      ],
    );
  });

  it('is refused with every problem at once, each with its line', () => {
    const text = 'days:\n  - { day: 1, target: "" }\n  - { day: one, target: x }\n  - { day: 1, stories: [] }\n  - 7\n';
    expect(problemsOf(text)).toEqual([
      [2, 'days[0].target', 'must say in words what is to be done'],
      [3, 'days[1].day', '"one" must be the number of a day, from 1 on'],
      [4, 'days[2].day', 'day 1 is in the plan already'],
      [4, 'days[2].stories', 'must be a list of stories, at least one'],
      [5, 'days[3]', 'must have a "target" or "stories"'],
    ]);
  });

  it.each([
    ['neither days nor stories', 'weeks: []\n', [1, '', 'a plan has either "days" or "stories", a list']],
    ['both', 'days: [x]\nstories: [x]\n', [1, '', 'a plan has either "days" or "stories", a list']],
    ['nothing', '', [null, '', 'a plan has either "days" or "stories", a list']],
    ['no days', 'days: []\n', [1, 'days', 'must be a list of days, at least one']],
    ['a story without words', 'stories:\n  - {}\n', [2, 'stories[0]', expect.stringContaining('one of title, target')]],
    [
      'a story without its day',
      'stories: [{ title: A, day: 1 }, B]\n',
      [1, 'stories[1]', expect.stringMatching(/"day"/)],
    ],
    ['no YAML', 'days: [\n', [expect.any(Number), '', expect.any(String)]],
  ])('with %s is refused', (_, text, problem) => {
    expect(problemsOf(text)[0]).toEqual(problem);
  });

  it('that is not there is told with where it should be', () => {
    expect(() => readPlan('/nowhere/plan.yaml')).toThrow(/cannot read the plan \/nowhere\/plan\.yaml/);
  });
});
