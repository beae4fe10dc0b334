/** Which handler is being called. */
export interface Seen {
  readonly plugin: string;
  readonly hook: string;
  readonly handler: string;
  readonly run: string | undefined;
}

/**
 * Called right before a handler; what it gives back is called when the handler has ended, with what it threw, if it
 * did, or else with what it answered. A handler whose deadline has passed has ended. Must not throw: it is the host's
 * own code.
 */
export type Interceptor = (
  seen: Seen,
) => ((failure: { readonly error: unknown } | undefined, answer: unknown) => void) | undefined;
