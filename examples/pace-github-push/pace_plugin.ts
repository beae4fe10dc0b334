import { WebhookInBase, type WebhookProof } from 'patchbay-sdk/pace';

/** Accept GitHub push events and trigger a pipeline run. */
export class GitHubWebhookIn extends WebhookInBase<{ secret?: string }> {
  static override readonly pluginName = 'github_push';
  path = '/github/push';
  override proof: WebhookProof =
    this.config.secret === undefined ? { scheme: 'none' } : { scheme: 'github', secrets: [this.config.secret] };

  handle(payload: { ref?: string }, _headers: Record<string, string>) {
    const ref = payload.ref ?? '';
    if (ref === 'refs/heads/main') {
      this.triggerPipeline({ day: null }); // run next pending day
    }
    return { status: 'accepted' };
  }
}
