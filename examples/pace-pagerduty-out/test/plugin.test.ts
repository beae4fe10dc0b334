import { AFTER_DAY, paceSample } from 'patchbay-sdk/pace';
import { expect, it } from 'vitest';
import { PagerDutyOut } from '../pace_plugin.ts';

const held = paceSample(AFTER_DAY, { day_decision: 'HOLD', hold_reason: 'no test' });

it('has an incident made when a day is held, and only then', () => {
  const plugin = new PagerDutyOut({ routing_key: 'key' });
  expect(plugin.events).toEqual([AFTER_DAY]);
  expect(plugin.shouldFire(AFTER_DAY, paceSample(AFTER_DAY))).toBe(false);
  expect(plugin.shouldFire(AFTER_DAY, held)).toBe(true);
  expect(plugin.buildPayload(AFTER_DAY, held)).toEqual({
    routing_key: 'key',
    event_action: 'trigger',
    payload: { summary: 'PACE HOLD: no test', severity: 'error', source: 'pace-pipeline' },
  });
});

it('goes to PagerDuty unless it is told otherwise', () => {
  expect(new PagerDutyOut({ routing_key: 'key' }).endpoint()).toBe('https://events.pagerduty.com/v2/enqueue');
  expect(new PagerDutyOut({ routing_key: 'key', endpoint: 'http://x' }).endpoint()).toBe('http://x');
});
