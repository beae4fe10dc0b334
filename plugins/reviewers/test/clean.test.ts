import { expect, it } from 'vitest';
import { conduit, sentinel } from '../index.ts';
import { clean } from './clean.ts';
import { input } from './fixture.ts';

it.each(Object.entries(clean))('sentinel and conduit have nothing against a clean %s', async (_, files) => {
  const given = input(files);
  const reports = await Promise.all([sentinel(given), conduit(given)]);
  const silent = { advisories: [], blockers: [], hold_reason: '' };
  expect(reports).toMatchObject([
    { ...silent, sentinel_decision: 'SHIP' },
    { ...silent, conduit_decision: 'SHIP' },
  ]);
  for (const { findings } of reports) expect(new Set(findings.map(({ result }) => result))).toEqual(new Set(['PASS']));
});
