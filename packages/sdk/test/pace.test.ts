import * as pace from 'patchbay-sdk/pace';
import {
  AFTER_DAY,
  AFTER_GATE,
  BEFORE_FORGE,
  HookBase,
  hook,
  type PaceEvent,
  paceEvents,
  paceKind,
  paceSample,
  WebhookInBase,
} from 'patchbay-sdk/pace';
import { describe, expect, it } from 'vitest';
import { eventHooks } from '../src/hooks.ts';

describe('the events of PACE', () => {
  it('are the ten constants of its document, each called as it is written', () => {
    const ten = ['DAY', 'FORGE', 'GATE', 'SENTINEL', 'CONDUIT'].flatMap((what) => [`BEFORE_${what}`, `AFTER_${what}`]);
    expect(Object.keys(paceEvents).filter((name) => !paceEvents[name as PaceEvent].shipped)).toEqual(ten);
    for (const name of ten) expect(pace).toHaveProperty(name, name);
  });

  it('are views of events that there are', () => {
    for (const { on } of Object.values(paceEvents)) for (const name of on) expect(eventHooks).toHaveProperty(name);
  });
});

describe('a plugin', () => {
  it('has its configuration before its own fields are made', () => {
    class Mine extends HookBase<{ when: PaceEvent }> {
      events = [this.config.when];
      run() {}
    }
    expect(new Mine({ when: AFTER_DAY }).events).toEqual([AFTER_DAY]);
  });

  it('is known by its base, whichever copy of the SDK that is from', () => {
    expect(paceKind).toBe(Symbol.for('patchbay.pace.kind'));
    class Mine extends WebhookInBase {
      path = '/mine';
      handle() {}
    }
    expect(Mine[paceKind]).toBe('webhook_in');
  });

  it('may be a function', async () => {
    const seen: unknown[] = [];
    const Mine = hook([AFTER_GATE], (event, { story_title }, config: { to: string }) => {
      seen.push([event, story_title, config.to]);
    });
    await new Mine({ to: 'me' }).run(AFTER_GATE, paceSample(AFTER_GATE, { story_title: 'Mine' }));
    expect(seen).toEqual([[AFTER_GATE, 'Mine', 'me']]);
  });

  it('cannot have a day run without a host', async () => {
    class Mine extends WebhookInBase {
      path = '/mine';
      handle() {}
    }
    await expect(new Mine().triggerPipeline()).rejects.toThrow('only a host');
  });
});

describe('a sample', () => {
  it('has the documents that are there at its event', () => {
    expect(Object.keys(paceSample(BEFORE_FORGE))).toEqual([
      'event',
      'run_id',
      'day',
      'attempt',
      'story_title',
      'hold_reason',
      'story_card',
    ]);
    expect(paceSample('day_held')).toMatchObject({ day_decision: 'HOLD', hold_reason: expect.any(String) });
    expect(paceSample(AFTER_DAY)).toMatchObject({ day_decision: 'SHIP', conduit_report: { conduit_decision: 'SHIP' } });
  });

  it('is made anew each time', () => {
    expect(paceSample(AFTER_GATE).gate_report).not.toBe(paceSample(AFTER_GATE).gate_report);
  });
});
