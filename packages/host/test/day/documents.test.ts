import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DayStage } from '../../../../test/flows/day-stage.ts';
import { folder } from '../../../../test/project.ts';
import { holding, problemsOfDocument } from '../../src/day/documents.ts';
import { documentNames, documents } from '../../src/day/index.ts';

describe('A document', () => {
  it('that is missing is asked for with an example that would do', () => {
    for (const name of documentNames) {
      const [problem = ''] = problemsOfDocument(name, undefined);
      const example = JSON.parse(problem.slice(problem.indexOf('{')));
      expect(problemsOfDocument(name, example)).toEqual([]);
    }
  });

  it('that is wrong is refused with everything that is', () => {
    expect(problemsOfDocument('story_card', { title: ' ', story: 'x', acceptance_criteria: [] })).toEqual([
      'result report title: must say something',
      'result report acceptance_criteria: has no criterion',
    ]);
    const report = {
      ...holding('gate_report', 'x'),
      criteria_results: [{ criterion: 'a', result: 'OK', evidence: '' }],
    };
    expect(problemsOfDocument('gate_report', report)).toEqual([
      expect.stringContaining('criteria_results[0].result'),
      'result report criteria_results[0].evidence: must say something',
    ]);
  });

  it('may say more than it is asked for', () => {
    const card = { title: 'a', story: 'b', acceptance_criteria: ['c'], mood: 'good' };
    expect(problemsOfDocument('story_card', card)).toEqual([]);
  });

  it('that holds the work in the place of a reviewer is one of that reviewer', () => {
    for (const name of documentNames.filter((one) => one.endsWith('_report'))) {
      expect(problemsOfDocument(name, holding(name, 'it crashed'))).toEqual([]);
      expect(documents[name].safeParse(holding(name, 'it crashed')).data).toMatchObject({ hold_reason: 'it crashed' });
    }
    expect(holding('story_card', 'x')).toBeNull();
  });
});

describe('The folder of a day', () => {
  it('is not written where a link leads out of the project, and the day goes on', async () => {
    const elsewhere = folder();
    const stage = new DayStage('day-shipped', { repository: false });
    symlinkSync(elsewhere, stage.file('.pace'));
    const { service } = await stage.start();
    expect(await stage.day(service)).toMatchObject({ status: 'completed' });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('is written again by whoever carries the day on', async () => {
    const stage = new DayStage('day-held');
    mkdirSync(stage.file('.pace/day-1'), { recursive: true });
    const { service } = await stage.start();
    const { run_id } = await stage.day(service);
    const written = stage.document(1, 'gate');
    stage.write('.pace/day-1/gate.yaml', 'half');
    await stage.advance(service, run_id);
    expect(stage.document(1, 'gate')).toBe(written);
  });
});
