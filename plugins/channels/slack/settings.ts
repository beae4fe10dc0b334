import { z } from 'patchbay-sdk/zod';

/** The settings of the plugin. Without tokens there is no such channel. */
export const slackConfig = z.strictObject({
  /** The app-level token, `xapp-…`, with the scope `connections:write`. */
  app_token: z.string().optional(),
  /** The token of the bot, `xoxb-…`. */
  bot_token: z.string().optional(),
  /** Where Slack's Web API is, for those who reach it by way of something else. */
  api_url: z.url({ protocol: /^https?$/ }).optional(),
});

/** What a channel needs of them. */
export interface SlackSettings {
  readonly app_token: string;
  readonly bot_token: string;
  readonly api_url?: string | undefined;
}
