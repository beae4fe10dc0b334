import { join } from 'node:path';
import { type EventPayload, sample } from 'patchbay-sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { openStore } from '../../../../test/store.ts';
import { CatchingUp } from '../../src/dialects/pace/catching-up.ts';

/** A ledger in which plugin "slow" is owed an event, and whether it would be asked about the next one now. */
async function owing() {
  const ledger = await openStore(join(folder(), 'ledger.db'));
  onTestFinished(() => ledger.close());
  const owed = sample('turn:submitted', { event_id: 'event-1' });
  const { deliveries } = await ledger.append(owed, [{ plugin: 'slow', handler: 'AFTER_GATE' }]);
  const next: EventPayload<'turn:dispatched'> = sample('turn:dispatched', { event_id: 'event-2' });
  await ledger.append(next, [{ plugin: 'slow', handler: 'BEFORE_SENTINEL', awaited: true }]);
  const told = () => ledger.settle(deliveries[0]?.id ?? '', { status: 'ok' });
  return { told, catchingUp: new CatchingUp(ledger) };
}

/** Whether a promise is kept by now. */
async function isKept(promise: Promise<unknown>): Promise<boolean> {
  for (let i = 0; i < 10; i++) await new Promise(setImmediate);
  return Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

it('a plugin is asked about an event only when it has been told what came before', async () => {
  const { told, catchingUp } = await owing();
  const before = catchingUp.before('slow', 'event-2');
  expect(await isKept(before)).toBe(false);
  expect(await isKept(catchingUp.before('quick', 'event-2'))).toBe(true);
  expect(await isKept(catchingUp.before('slow', 'event-1'))).toBe(true);
  await told();
  await before;
});

it('one that falls too far behind is not waited for until it has caught up', async () => {
  const { told, catchingUp } = await owing();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = catchingUp.before('slow', 'event-2');
  expect(await isKept(before)).toBe(false);
  vi.advanceTimersByTime(10_000);
  await before;
  expect(await isKept(catchingUp.before('slow', 'event-2'))).toBe(true);
  await told();
  await catchingUp.before('slow', 'event-2');
});
