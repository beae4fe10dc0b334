import * as z from 'zod/mini';

/**
 * What a handler says about what it was asked. `ok` and `warn` let it pass; `block` refuses, where the hook and the
 * operator let the plugin refuse; `fail` says that the handler could not do its work, which on a closed hook
 * refuses too.
 */
export const verdict = z.object({
  verdict: z.enum(['ok', 'warn', 'fail', 'block']),
  message: z.optional(z.string()),
  annotations: z.optional(z.record(z.string(), z.unknown())),
  /** A request that the host is to make for the plugin: signed, tried again until it arrives, kept over a restart. */
  send: z.optional(
    z.strictObject({
      url: z.string(),
      /** Sent as JSON. */
      body: z.unknown(),
      headers: z.optional(z.record(z.string(), z.string())),
    }),
  ),
});

/** See {@link verdict}. */
export type Verdict = z.output<typeof verdict>;

/** Answer this from a handler of a closed hook to refuse; the message is what people will read. */
export function refuse(message: string, annotations?: Record<string, unknown>): Verdict {
  return annotations === undefined ? { verdict: 'block', message } : { verdict: 'block', message, annotations };
}

/** Whether an answer of any hook is a verdict. */
export function isVerdict(answer: unknown): answer is Verdict {
  return typeof answer === 'object' && answer !== null && 'verdict' in answer && verdict.safeParse(answer).success;
}
