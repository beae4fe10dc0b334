import * as z from 'zod/mini';

const secrets = z.array(z.string());
/** The proofs that make sense where one system talks with one other. */
const proof = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.enum(['bearer', 'standard']), secrets }),
  z.strictObject({
    scheme: z.literal('hmac'),
    secrets,
    header: z.optional(z.string()),
    algorithm: z.optional(z.enum(['sha256', 'sha512'])),
    encoding: z.optional(z.enum(['hex', 'base64'])),
    prefix: z.optional(z.string()),
    idHeader: z.optional(z.string()),
    timeHeader: z.optional(z.string()),
  }),
]);

const endpoint = z.strictObject({
  /** Where messages come in, on the webhook server. Default: `/channels/NAME`. */
  path: z.optional(z.string()),
  /** How whoever sends them proves who it is, as for any webhook. Default: not at all, which only a loopback listener takes. */
  proof: z.optional(proof),
  /** Where answers are sent to. Without it the chats of this endpoint cannot be answered. */
  url: z.optional(z.url({ protocol: /^https?$/ })),
  /** The key by which they are signed, as in Standard Webhooks: `whsec_…`. Default: they are not. */
  secret: z.optional(z.string()),
});
/** One system that messages come from and answers go to. */
export type Endpoint = z.output<typeof endpoint>;

/** The settings of the plugin: by name, as in the chat `webhook:NAME:CHAT`. Without any there is no such channel. */
export const webhookConfig = z.strictObject({
  endpoints: z._default(z.record(z.string().check(z.regex(/^[\w-]+$/, 'letters, digits, _ and - only')), endpoint), {}),
});
/** See {@link webhookConfig}. */
export type WebhookSettings = z.output<typeof webhookConfig>;
