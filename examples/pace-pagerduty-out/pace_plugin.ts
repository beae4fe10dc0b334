import { AFTER_DAY, type PaceContext, WebhookOutBase } from 'patchbay-sdk/pace';

/** Create a PagerDuty incident when a day is held. */
export class PagerDutyOut extends WebhookOutBase<{ routing_key: string; endpoint?: string }, typeof AFTER_DAY> {
  static override readonly pluginName = 'pagerduty_out';
  events = [AFTER_DAY];

  override shouldFire(_event: string, context: PaceContext<typeof AFTER_DAY>): boolean {
    return context.day_decision === 'HOLD';
  }

  override buildPayload(_event: string, context: PaceContext<typeof AFTER_DAY>) {
    return {
      routing_key: this.config.routing_key,
      event_action: 'trigger',
      payload: {
        summary: `PACE HOLD: ${context.hold_reason}`,
        severity: 'error',
        source: 'pace-pipeline',
      },
    };
  }

  endpoint(): string {
    return this.config.endpoint ?? 'https://events.pagerduty.com/v2/enqueue';
  }
}
