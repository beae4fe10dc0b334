import { eventHooks, hooks } from 'patchbay-sdk';
import { expect, it } from 'vitest';
import { eventNames, hookNames } from '../../src/install/manifest/hook-names.ts';

it('a manifest may name the events and hooks of the tables, in their order', () => {
  expect(eventNames).toEqual(Object.keys(eventHooks));
  expect(hookNames).toEqual(Object.keys(hooks));
});
