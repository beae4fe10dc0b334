import { definePlugin } from 'patchbay-sdk';
import { slackConfig } from './slack/settings.ts';
import { WebhookChannel } from './webhook/channel.ts';
import { type WebhookSettings, webhookConfig } from './webhook/settings.ts';

/** Slack, for chats `slack:C123`. It does not apply without tokens. */
export const slackPlugin = definePlugin({
  name: 'channel-slack',
  version: '1.0.0',
  config: slackConfig,
  provides: {
    channel: async (context, { config, log, defer }) => {
      const { app_token, bot_token, api_url } = config;
      if (!app_token || !bot_token) return null;
      const { SlackChannel } = await import('./slack/channel.ts');
      const slack = new SlackChannel({ app_token, bot_token, api_url }, context, log);
      defer(() => slack.disconnect());
      return slack.asChannel();
    },
  },
});

/** One for each configuration: what comes in by the routes goes to the channel of the same host. */
const channels = new WeakMap<WebhookSettings, WebhookChannel>();

function channelOf(config: WebhookSettings): WebhookChannel {
  const channel = channels.get(config) ?? new WebhookChannel(config);
  channels.set(config, channel);
  return channel;
}

/** Other systems, by webhooks, for chats `webhook:NAME:CHAT`. It does not apply without endpoints. */
export const webhookPlugin = definePlugin({
  name: 'channel-webhook',
  version: '1.0.0',
  config: webhookConfig,
  provides: {
    webhooks: (_, { config }) => channelOf(config).routes(),
    channel: (context, { config }) => channelOf(config).asChannel(context),
  },
});
