import { AFTER_GATE, HookBase, type PaceContext } from 'patchbay-sdk/pace';

/** Post a message to Slack whenever GATE produces a report. */
export class SlackGateHook extends HookBase<{ webhook_url: string }, typeof AFTER_GATE> {
  static override readonly pluginName = 'slack_gate';
  events = [AFTER_GATE];

  async run(_event: string, context: PaceContext<typeof AFTER_GATE>): Promise<void> {
    const decision = context.gate_report.gate_decision ?? 'unknown';
    const story = context.story_title ?? 'unknown story';
    const answer = await fetch(this.config.webhook_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: `GATE ${decision} — ${story}` }),
      signal: AbortSignal.timeout(5000),
    });
    if (!answer.ok) throw new Error(`Slack answered ${answer.status}`);
  }
}
