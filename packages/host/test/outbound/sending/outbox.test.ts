import { expect, it } from 'vitest';
import type { Due } from '../../../src/outbound/lane.ts';
import { Outbox, Slots } from '../../../src/outbound/sending/outbox.ts';

it('comes to rest, however often it is woken while as many as may be are under way', async () => {
  const left = ['1.1', '2.1', '3.1'];
  const ends: (() => void)[] = [];
  const sent: string[] = [];
  const office = {
    take: async () => left.map((id) => ({ delivery: { id } }) as Due),
    send: ({ delivery: { id } }: Due) =>
      new Promise<void>((resolve) => {
        ends.push(() => {
          left.splice(left.indexOf(id), 1);
          sent.push(id);
          resolve();
        });
      }),
    slots: new Slots(8),
    failed: (error: unknown) => {
      throw error;
    },
  };
  const box = new Outbox(office, 1, 0);
  box.wake();
  for (let i = 0; i < 3; i++) {
    while (ends.length === 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
    // Full: there is nothing for it to look for.
    box.wake();
    box.wake();
    ends.shift()?.();
  }
  await box.rest();
  expect(sent).toEqual(['1.1', '2.1', '3.1']);
  expect(box.isAtRest).toBe(true);
});
