import * as z from 'zod/mini';

/** The settings of the plugin. Without tokens there is no such channel. */
export const slackConfig = z.strictObject({
  /** The app-level token, `xapp-…`, with the scope `connections:write`. */
  app_token: z.optional(z.string()),
  /** The token of the bot, `xoxb-…`. */
  bot_token: z.optional(z.string()),
  /** Where Slack's Web API is, for those who reach it by way of something else. */
  api_url: z.optional(z.url({ protocol: /^https?$/ })),
});

/** What a channel needs of them. */
export interface SlackSettings {
  readonly app_token: string;
  readonly bot_token: string;
  readonly api_url?: string | undefined;
}
