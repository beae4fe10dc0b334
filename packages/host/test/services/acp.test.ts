import type { ServiceRequest } from 'patchbay-sdk';
import { expect, test } from 'vitest';
import { trial } from '../../../../plugins/core-acp/test/fixture.ts';
import { Stage, toolPlugin } from './fixture.ts';

const double = ({ n }: ServiceRequest) => ({ result: 2 * Number(n) });

test.each([
  ['uses tools over stdio', 'stdio'],
  ['uses tools over HTTP', 'http'],
])('an agent that %s reaches those of its turn', async (scene, way) => {
  const stage = await Stage.open({ plugins: [toolPlugin('p', { double })] });
  const turn = stage.turn();
  const { run, answers } = trial(scene, { tools: () => turn.list(), mcp: () => turn.mcp() });
  await run();
  expect(answers()).toEqual([way, ['double'], [{ type: 'text', text: '42' }], ['yes', 'no']]);
});

test('an agent whose turn has no tools is given none', async () => {
  const { run, result } = trial('uses tools over HTTP');
  await run();
  expect(result()).toMatchObject({ summary: 'no tools' });
});
