import {
  AFTER_DAY,
  AFTER_GATE,
  BEFORE_DAY,
  type GateReport,
  HookBase,
  hook,
  type PaceContext,
  type StoryCard,
  WebhookInBase,
  WebhookOutBase,
} from 'patchbay-sdk/pace';
import { expectTypeOf } from 'vitest';

/** What a context holds depends on the event. */
export class GateHook extends HookBase<{ url: string }, typeof AFTER_GATE> {
  static override readonly pluginName = 'gate_hook';
  events = [AFTER_GATE];
  run(event: string, context: PaceContext<typeof AFTER_GATE>): void {
    expectTypeOf(event).toEqualTypeOf<string>();
    expectTypeOf(context.gate_report).toEqualTypeOf<GateReport>();
    expectTypeOf(context.story_card).toEqualTypeOf<StoryCard>();
    expectTypeOf(context.event).toEqualTypeOf<'AFTER_GATE'>();
    expectTypeOf(this.config.url).toEqualTypeOf<string>();
  }
}

/** The function form says nothing of types but that of its configuration. */
export const both = hook([BEFORE_DAY, AFTER_DAY], (event, context, config: { url: string }) => {
  expectTypeOf(event).toEqualTypeOf<'BEFORE_DAY' | 'AFTER_DAY'>();
  expectTypeOf(context.day).toEqualTypeOf<number | null>();
  expectTypeOf(config.url).toEqualTypeOf<string>();
  if (context.event === 'AFTER_DAY') expectTypeOf(context.day_decision).toEqualTypeOf<'SHIP' | 'HOLD'>();
  expectTypeOf(context.story_card).toEqualTypeOf<StoryCard | undefined>();
});

/** Names that PACE shipped, and methods as its document spells them. */
export class Out extends WebhookOutBase<{ key: string }, 'day_held'> {
  events = ['day_held' as const];
  override should_fire(_: string, context: PaceContext<'day_held'>): boolean {
    expectTypeOf(context.day_decision).toEqualTypeOf<'HOLD'>();
    return true;
  }
  override build_payload(): object {
    return { key: this.config.key };
  }
  endpoint(): string {
    return 'https://example.com';
  }
}

export class In extends WebhookInBase {
  path = '/in';
  async handle(payload: { ref?: string }, headers: Record<string, string>) {
    expectTypeOf(this.triggerPipeline({ day: null })).toEqualTypeOf<Promise<string>>();
    return { ref: payload.ref, agent: headers['user-agent'] };
  }
}
