import { createTestHost } from 'patchbay-sdk/testing';
import { expect, it } from 'vitest';
import hello from '../plugin.ts';

it('greets whoever had a turn accepted, with the greeting it is given', async () => {
  await using host = createTestHost();
  host.load(hello, { greeting: 'Well done,' });
  (await host.fire('turn:accepted', { role: 'reviewer', summary: 'All good' })).assertOk().assertCalled('hello');
  expect(host.logs.map((line) => line.message)).toEqual(['Well done, reviewer: All good']);
});

it('refuses dangerous goals and lets others pass', async () => {
  await using host = createTestHost(hello);
  (await host.fire('turn:dispatched', { goal: 'rm -rf /' })).assertRefused('Not on my machine');
  (await host.fire('turn:dispatched', { goal: 'Make the tests pass' })).assertOk();
});

it('brings a skill', async () => {
  await using host = createTestHost(hello);
  const { result } = await host.fire('skills');
  expect(result).toEqual([[expect.stringMatching(/skills\/greeting$/)]]);
});
