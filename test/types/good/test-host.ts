import type { Channel, EventPayload, Memory, Merged, PatchbayError, ServiceTool } from 'patchbay-sdk';
import { createTestHost, sample } from 'patchbay-sdk/testing';
import { expectTypeOf } from 'vitest';
import { configured, configuredLast, unconfigured } from './config.ts';
import provider from './provides.ts';

/** Any plugin goes into a test host, with the configuration its schema takes; what is fired has the table's types. */
export async function tryOut(): Promise<void> {
  await using host = createTestHost(unconfigured, configuredLast, provider);

  const undo = host.load(configured, { channel: 'ops', since: '2026-01-01', mode: 'loud' });
  expectTypeOf(undo).toEqualTypeOf<() => Promise<void>>();
  host.load(configured, { channel: 'ops', since: '2026-01-01', retries: 5 });
  host.load(configuredLast, {});
  host.load(unconfigured);

  const dispatched = await host.fire('turn:dispatched', { goal: 'Tidy up', attempt: null });
  expectTypeOf(dispatched.hook).toEqualTypeOf<'turn:dispatched'>();
  expectTypeOf(dispatched.result).toEqualTypeOf<EventPayload<'turn:dispatched'> | undefined>();
  expectTypeOf(dispatched.refusal).toEqualTypeOf<PatchbayError | undefined>();
  expectTypeOf(dispatched.assertOk().assertCalled('guard').result?.adapter).toEqualTypeOf<string | undefined>();

  expectTypeOf((await host.fire('memory')).result).toEqualTypeOf<Memory | null | undefined>();
  expectTypeOf((await host.fire('channel')).result).toEqualTypeOf<Channel[] | undefined>();
  expectTypeOf((await host.fire('serviceTools')).result).toEqualTypeOf<Merged<ServiceTool> | undefined>();
  expectTypeOf((await host.fire('turn:failed', { timed_out: false })).result).toEqualTypeOf<undefined>();

  expectTypeOf(sample('turn:rejected', { reason: 'x' })).toEqualTypeOf<EventPayload<'turn:rejected'>>();
}
