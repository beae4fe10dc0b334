import * as z from 'zod/mini';
import { fields, method, text } from './parts.ts';

/** A request that came in, its sender verified. */
export interface InboundRequest {
  readonly path: string;
  /** The body, read as JSON. */
  readonly payload: unknown;
  /** Names are lower-cased. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came. */
  readonly raw: string;
}

/** What is answered. Default: 200 and an empty object. */
export interface InboundReply {
  readonly status?: number;
  readonly body?: unknown;
}

/** How the sender of a request proves who it is. Secrets are values, looked up in config; several while one is replaced. */
export const webhookProof = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('none') }),
  z.strictObject({ scheme: z.enum(['standard', 'github', 'gitlab', 'slack', 'bearer']), secrets: z.array(text) }),
  z.strictObject({
    scheme: z.literal('hmac'),
    secrets: z.array(text),
    /** The header with the digest. Default: `x-signature`. */
    header: z.optional(text),
    algorithm: z.optional(z.enum(['sha256', 'sha512'])),
    encoding: z.optional(z.enum(['hex', 'base64'])),
    /** What stands before the digest, as in `sha256=`. */
    prefix: z.optional(text),
    /** The header with the sender's number of the delivery. */
    idHeader: z.optional(text),
    /** The header with the time in seconds, signed as `TIME.BODY`. */
    timeHeader: z.optional(text),
  }),
]);
/** See {@link webhookProof}. */
export type WebhookProof = z.output<typeof webhookProof>;

/** One route on which requests are taken. */
export const webhook = z.object({
  /** Absolute, without a query; unique in a host. */
  path: text,
  /** Default: none, which only a loopback listener takes. */
  proof: z.optional(webhookProof),
  handle: method<(request: InboundRequest) => InboundReply | undefined | Promise<InboundReply | undefined>>(),
});
/** See {@link webhook}. */
export type Webhook = z.output<typeof webhook>;
/** All routes of a plugin. */
export const webhooks = z.array(webhook);

/** What a route may have the host do. */
export const webhookContext = z.strictObject({
  /** Has a run begin; it is durable when this resolves with its id. The same request never begins it twice. */
  startRun:
    method<
      (wanted: {
        readonly template?: string;
        /** A day of the plan; null for the next one that is pending. */
        readonly day?: number | null;
        readonly input?: string;
      }) => Promise<string>
    >(),
});

/** What a language model is asked, in words that every provider can be given. */
export interface LlmRequest {
  /** As the role names it. */
  readonly model: string;
  readonly system: string;
  /** The whole conversation: nothing is kept from request to request. */
  readonly messages: readonly LlmMessage[];
  /** What the model may call; `inputSchema` is a JSON Schema. */
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: unknown }[];
  /** The most that it may say. @default as the provider has it */
  readonly maxTokens?: number;
}
/** A part of the conversation. After what an assistant called for comes one `tool` for each call, in order. */
export type LlmMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly LlmCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly output: string };
/** A tool that the model wants called. */
export interface LlmCall {
  /** Unique in an answer; comes back as the `callId` of the result. */
  readonly id: string;
  readonly name: string;
  /** An object, or its JSON as the model wrote it: the model is told if that is none. */
  readonly input: unknown;
}
/** What the model says. To call for nothing is to be done. */
export interface LlmAnswer {
  readonly text: string;
  readonly calls: readonly LlmCall[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** Where a language model is reached. */
export const llmProvider = z.object({
  /** What the setting `provider` of the core `llm` selects it by. */
  name: text,
  /** Asks the model. What it throws makes the turn fail, so whatever is worth a second try is its own to repeat. */
  /** `signal` is aborted when nobody waits for the answer any more. */
  generate: method<(request: LlmRequest, options: { readonly signal: AbortSignal }) => Promise<LlmAnswer>>(),
});
/** See {@link llmProvider}. */
export type LlmProvider = z.output<typeof llmProvider>;

/** Something on a platform that people can look at. */
export interface PlatformThing {
  readonly id: string;
  readonly url: string;
}

/** What a platform is made with. */
export const platformContext = z.strictObject({
  /** The folder of the project. */
  project: text,
  /** What the project says of its platform. */
  settings: fields,
});

/** Where a project is hosted. What is given again under the same key is made once. */
export const platform = z.object({
  name: text,
  /** Asks people to review a branch. */
  openReview:
    method<(review: { key: string; branch: string; title: string; body: string }) => Promise<PlatformThing>>(),
  /** Tells people that a run is stuck. */
  escalate: method<(escalation: { key: string; title: string; body: string }) => Promise<PlatformThing>>(),
  setVariable: method<(name: string, value: string) => Promise<void>>(),
  /** Adds to what people see of this job, as Markdown. */
  writeSummary: method<(markdown: string) => Promise<void>>(),
  /** Waits until all checks of a commit have ended, `timeoutMs` at the longest. */
  waitForChecks: method<(commit: string, timeoutMs: number) => Promise<'success' | 'failure' | 'timeout'>>(),
});
/** See {@link platform}. */
export type Platform = z.output<typeof platform>;

/** What a settled run came to, as reporters get it. */
export interface RunReport {
  readonly run_id: string;
  readonly template: string;
  readonly goal: string;
  readonly status: string;
  readonly reason: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  /** The day of the plan that it was, and how that ended. */
  readonly day: number | null;
  readonly decision: string | null;
  readonly cost: { readonly input_tokens: number; readonly output_tokens: number; readonly usd: number };
  readonly turns: readonly {
    readonly turn_id: string;
    readonly role: string;
    readonly phase: string;
    readonly attempt: number;
    readonly state: string;
    readonly summary: string | null;
    readonly report: Readonly<Record<string, unknown>> | null;
  }[];
}

/** What a reporter makes of a run. */
export interface Reported {
  /** Files that the host writes, by their path in the project. */
  readonly files?: readonly { readonly path: string; readonly text: string }[];
  /** What people see beside the job, as Markdown: the platform shows it. */
  readonly summary?: string;
}

/** Something that writes down what a run came to. */
export const reporter = z.object({
  /** What the project lists it by. */
  name: text,
  /** Whether it is used where the project lists none. Default: true. */
  byDefault: z.optional(z.boolean()),
  /** Told of a run that has settled. `read` gives a file of the project; null if it is not there. */
  report: method<(report: RunReport, read: (path: string) => Promise<string | null>) => Promise<Reported>>(),
});
/** See {@link reporter}. */
export type Reporter = z.output<typeof reporter>;

/** What a store of artifacts is made with. */
export const artifactContext = z.strictObject({
  /** The folder of the project. */
  project: text,
});

/**
 * Where hosts keep what a run has made, so that another one can go on with it: a store of objects, such as S3. What is put under a
 * key is never changed. Keys have letters, digits, `-`, `_`, `.`, `%` and `/`. Contents are Base64, of at most 2 MiB: what is
 * larger comes in parts. Either may be called again, and may reject; a call has 60 s.
 */
export const artifactStore = z.object({
  name: text,
  put: method<(key: string, content: string, options: { readonly signal: AbortSignal }) => Promise<void>>(),
  /** Null if there is nothing under this key. */
  get: method<(key: string, options: { readonly signal: AbortSignal }) => Promise<string | null>>(),
});
/** See {@link artifactStore}. */
export type ArtifactStoring = z.output<typeof artifactStore>;
