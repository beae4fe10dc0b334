import { expect, test } from 'vitest';
import { folder } from '../../../test/project.ts';
import { setVariable, trial, trialOf } from './fixture.ts';

test('an agent works through the client, is told all it should know, and hands in', async () => {
  const { run, file, result, log } = trial('works by the client');
  await run();
  expect(file('src/deep/b.txt')).toBe('TWO');
  const prompt = result()?.['summary'];
  for (const part of ['Make the test pass', 'Mend what is broken.', '- the test is red', '- src/**', '- npm test']) {
    expect(prompt).toContain(part);
  }
  expect(prompt).not.toContain('Decisions so far');
  expect(log).toContain('tool: Mend it');
  expect(log).toContain('tool: Mend it: completed');
  expect(log.filter((line) => line.startsWith('agent:'))).toEqual(['agent: It is mended', 'agent: and well']);
});

test('an agent works on its own, in the workspace, and sees the usual variables and those that are named', async () => {
  setVariable('ACP_TEST_KEY', 'secret');
  setVariable('ACP_TEST_OTHER', 'secret');
  const { run, file, result } = trial('works by itself', {}, { env: ['ACP_TEST_KEY', 'ACP_TEST_UNSET'] });
  await run();
  expect(file('src/b.txt')).toBe('mine');
  const seen = result()?.['summary'];
  expect(seen).toEqual(expect.arrayContaining(['ACP_TEST_KEY', 'PATH']));
  expect(seen).not.toContain('ACP_TEST_OTHER');
});

test('what a turn cost is what the agent measured, not what its result claims', async () => {
  const { run, result } = trial('tells what it cost');
  await run();
  expect(result()).toEqual({ summary: 'costly', cost: { input_tokens: 8, output_tokens: 7, usd: 0.25 } });
});

test('a result at the end of the message is written for the agent', async () => {
  const { run, result } = trial('hands in by message');
  await run();
  expect(result()).toEqual({ status: 'completed', summary: 'has ``` in it' });
});

test('a result that is not in a fence counts too', async () => {
  const { run, result } = trial('hands in without a fence');
  await run();
  expect(result()).toEqual({ status: 'completed', summary: 'bare' });
});

test('an agent that hands in nothing leaves no result', async () => {
  const { run, result } = trial('says nothing');
  await run();
  expect(result()).toBeNull();
});

test('an agent is shown the documents of others, and the form of its own', async () => {
  const bundle = folder({
    'turn.json': '{}',
    'story.json': '{"title": "Paging"}',
    'deferred.json': '[]',
    'report.schema.json': '{"required": ["notes"]}',
  });
  const { run, result } = trial('works by the client', { bundle });
  await run();
  expect(result()?.['summary']).toMatch(
    /story\.json:\n\n\{"title": "Paging"\}.*- report:.*JSON Schema\n\n\{"required"/s,
  );
  expect(result()?.['summary']).not.toContain('deferred.json');
});

test('a reviewer is shown what it judges and how to say what it thinks', async () => {
  const { run, result, file } = trial('works by the client', { reviews: 'turn-1' });
  await run();
  expect(file('src/deep/b.txt')).toBeNull();
  expect(result()?.['summary']).toMatch(
    /The turn turn-1.*It changed no files.*Nothing but the result file.*"approved"/s,
  );
});

test('of a long text the agent is told where the rest is', async () => {
  const { run, result, turn } = trial('works by the client', { goal: `${'long '.repeat(20_000)}end of the goal` });
  await run();
  expect(result()?.['summary']).not.toContain('end of the goal');
  expect(result()?.['summary']).toContain(`all of it is in ${turn.bundle}`);
});

test('an agent is put into the mode that the role wants', async () => {
  const { run, log } = trial('has modes', {}, { mode: 'code' });
  await run();
  expect(log).toContain('stderr: mode code');
});

test('a mode that the agent does not have is an error that lists those it has', async () => {
  const { run } = trial('has modes', {}, { mode: 'yolo' });
  await expect(run()).rejects.toThrow('has no mode "yolo"; it has ask, code');
});

test.each([
  ['nothing', undefined],
  ['a line for the shell', 'agent --acp'],
  ['no program', []],
  ['numbers', ['agent', 1]],
])('a command that is %s is refused with the form that is needed', async (_, command) => {
  const { run } = trialOf(command);
  await expect(run()).rejects.toThrow(/role "dev" needs "with: \{ command: .*command/);
});

test('a program that is not there is named', async () => {
  const { run } = trialOf(['./no-such-agent']);
  await expect(run()).rejects.toThrow(/^\.\/no-such-agent could not be started: there is no file .*\/no-such-agent$/);
});
