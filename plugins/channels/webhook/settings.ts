import { z } from 'patchbay-sdk/zod';

const secrets = z.array(z.string());
/** The proofs that make sense where one system talks with one other. */
const proof = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.enum(['bearer', 'standard']), secrets }),
  z.strictObject({
    scheme: z.literal('hmac'),
    secrets,
    header: z.string().optional(),
    algorithm: z.enum(['sha256', 'sha512']).optional(),
    encoding: z.enum(['hex', 'base64']).optional(),
    prefix: z.string().optional(),
    idHeader: z.string().optional(),
    timeHeader: z.string().optional(),
  }),
]);

const endpoint = z.strictObject({
  /** Where messages come in, on the webhook server. Default: `/channels/NAME`. */
  path: z.string().optional(),
  /** How whoever sends them proves who it is, as for any webhook. Default: not at all, which only a loopback listener takes. */
  proof: proof.optional(),
  /** Where answers are sent to. Without it the chats of this endpoint cannot be answered. */
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** The key by which they are signed, as in Standard Webhooks: `whsec_…`. Default: they are not. */
  secret: z.string().optional(),
});
/** One system that messages come from and answers go to. */
export type Endpoint = z.output<typeof endpoint>;

/** The settings of the plugin: by name, as in the chat `webhook:NAME:CHAT`. Without any there is no such channel. */
export const webhookConfig = z.strictObject({
  endpoints: z.record(z.string().regex(/^[\w-]+$/, 'letters, digits, _ and - only'), endpoint).default({}),
});
/** See {@link webhookConfig}. */
export type WebhookSettings = z.output<typeof webhookConfig>;
