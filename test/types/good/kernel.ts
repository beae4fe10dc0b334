import { Kernel, newRecord } from 'patchbay-host/kernel';
import { type EventName, eventHooks, type HookRow, hooks, sample } from 'patchbay-sdk';
import { expectTypeOf } from 'vitest';
import * as z from 'zod/mini';

const row = { failure: 'soft', deadlineMs: 10, since: '0.1', doc: 'A hook of a test.' } as const;
const own = {
  rename: {
    ...row,
    kind: 'waterfall',
    payload: z.object({ name: z.string() }),
    answer: z.object({ name: z.string() }),
  },
  colours: { ...row, kind: 'collect', payload: z.object({}), answer: z.enum(['red', 'green']) },
  told: { ...row, kind: 'notify', payload: z.object({ at: z.number() }), answer: null },
} as const satisfies Record<string, HookRow>;

/** A kernel gives what the kind of the hook says, for any table. */
export async function callAll(): Promise<void> {
  const kernel = new Kernel(own);
  const renamed = await kernel.call('rename', { name: 'a' }, { record: newRecord() });
  expectTypeOf(renamed).toEqualTypeOf<{ name: string }>();
  expectTypeOf(await kernel.call('colours', {})).toEqualTypeOf<('red' | 'green')[]>();
  expectTypeOf(await kernel.call('told', { at: 1 })).toEqualTypeOf<undefined>();
  expectTypeOf(kernel.hook('colours').callSync({})).toEqualTypeOf<('red' | 'green')[]>();

  const ours = new Kernel(hooks);
  const turn = await ours.call('turn:dispatched', sample('turn:dispatched'), { record: newRecord(), run: 'run-1' });
  expectTypeOf(turn.bundle.sha256).toEqualTypeOf<string>();
}

/** Every event has a row. */
export const rows: Record<EventName, HookRow> = eventHooks;
