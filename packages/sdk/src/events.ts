import * as z from 'zod/mini';

const text = z.string();
const maybe = z.nullable(text);
const count = z.int().check(z.nonnegative());
const json = z.record(z.string(), z.unknown());
const strings = z.array(text);

const cost = z.object({ input_tokens: count, output_tokens: count, usd: z.number().check(z.nonnegative()) });
const decision = z.object({ id: text, category: text, statement: text, rationale: text });
const objection = z.object({ id: text, severity: text, statement: text });
const verification = z.object({
  status: z.enum(['pass', 'fail', 'skipped']),
  commands: strings,
  machine_evidence: z.array(z.object({ command: text, exit_code: z.int() })),
});

/** What an agent hands in at the end of a turn. */
export const turnResult = z.object({
  status: text,
  summary: text,
  decisions: z.array(decision),
  objections: z.array(objection),
  files_changed: strings,
  verification,
  artifact: maybe,
  /** What the role was asked to hand in, as data: a story card, a handoff, a review. */
  report: z.optional(z.nullable(json)),
  proposed_next_role: maybe,
  phase_transition_request: z.optional(maybe),
  run_completion_request: z.optional(z.boolean()),
  needs_human_reason: z.optional(maybe),
  cost,
});

const runSummary = z.object({
  turns: count,
  phases: z.array(z.object({ name: text, started_at: text, ended_at: maybe })),
  decisions: count,
  objections: count,
  verification,
  cost,
});

/** The keys that every event carries, null where they do not apply. */
const common = {
  event_id: text,
  at: z.iso.datetime(),
  run_id: maybe,
  template: maybe,
  goal: maybe,
  phase: maybe,
  role: maybe,
  turn_id: maybe,
  attempt: z.nullable(count),
  summary: maybe,
};

function event<const N extends string, S extends Record<string, z.ZodMiniType>>(name: N, adds: S) {
  return z.strictObject({ event: z.literal(name), ...common, ...adds });
}

const submitted = { result: turnResult, decision_summary: text, files_changed: strings, verification, cost };
const gate = { gate: text, from_phase: maybe, to_phase: maybe };
const approved = { approver: text, comment: maybe };
const settled = {
  run_summary: runSummary,
  decisions: z.array(decision),
  objections: z.array(objection),
  reason: z.optional(text),
};
const plugin = { plugin: text, version: text };
const message = {
  chat_jid: text,
  sender_name: text,
  content: text,
  timestamp: text,
  is_bot: z.boolean(),
  /** The folder of the workspace whose chat it is. */
  workspace: z.optional(text),
  /** Who sent it, as the channel calls them; what it is called there. */
  sender: z.optional(text),
  message_id: z.optional(text),
  /** The event that it answers. */
  answers: z.optional(text),
};
const approval = {
  approval_id: text,
  kind: text,
  waiting_for: text,
  expires_at: maybe,
  /** The call of a tool that is asked about: the decision is good for this one only. */
  call: z.optional(
    z.object({
      tool: text,
      workspace: maybe,
      chat_jid: maybe,
      request_id: text,
      key: text,
      input_sha256: text,
      input: json,
    }),
  ),
};

/**
 * Every event: a hook that is also a durable fact. The schema is what handlers get, scripts and HTTP handlers
 * included, and what the ledger keeps. Words in it are for ever: none may be added that nothing uses.
 */
export const events = {
  'run:started': event('run:started', {
    config_summary: json,
    roles: strings,
    phases: strings,
    resumes: z.optional(text),
  }),
  'turn:dispatched': event('turn:dispatched', {
    /** The step of the template that it is a turn of. */
    step: text,
    /** The turn that it judges, if it does. */
    reviews: maybe,
    adapter: text,
    bundle: z.object({ path: text, files: z.array(z.object({ path: text, sha256: text })), sha256: text }),
  }),
  'turn:submitted': event('turn:submitted', submitted),
  'turn:accepted': event('turn:accepted', submitted),
  'turn:rejected': event('turn:rejected', {
    reason: text,
    errors: strings,
    by: text,
    next_attempt: z.nullable(count),
  }),
  'turn:failed': event('turn:failed', {
    error: z.object({ code: text, message: text }),
    exit_code: z.nullable(z.int()),
    signal: maybe,
    timed_out: z.boolean(),
    /** What it has cost all the same; absent if nobody knows. */
    cost: z.optional(cost),
  }),
  'gate:pending': event('gate:pending', { ...gate, kind: text, waiting_for: text, expires_at: maybe }),
  'gate:transition': event('gate:transition', { ...gate, ...approved }),
  'gate:completion': event('gate:completion', { gate: text, ...approved, run_summary: runSummary }),
  'advisory:recorded': event('advisory:recorded', {
    by: text,
    advisory: text,
    /** The same for the same concern of the same reviewer, in whichever run it is raised. */
    advisory_id: z.optional(text),
  }),
  'advisory:cleared': event('advisory:cleared', {
    advisory_id: text,
    advisory: text,
    /** Who cleared it, and why. */
    by: text,
    reason: text,
  }),
  'run:completed': event('run:completed', settled),
  'run:held': event('run:held', settled),
  'run:failed': event('run:failed', settled),
  'run:aborted': event('run:aborted', settled),
  'message:received': event('message:received', message),
  'message:sent': event('message:sent', message),
  'agent:activity': event('agent:activity', { chat_jid: text, active: z.boolean() }),
  'agent:trace': event('agent:trace', { chat_jid: text, trace_type: text, data: json }),
  'chat:cleared': event('chat:cleared', { chat_jid: text }),
  'webhook:received': event('webhook:received', {
    /** The plugin that handles it, and the path it came in on. */
    plugin: text,
    path: text,
    /** As the sender numbers it; null if it does not. */
    delivery_id: maybe,
    /** Lower-cased names; without those that prove who sent it. */
    headers: z.record(z.string(), z.string()),
    /** The body as it came. */
    body: text,
  }),
  'delivery:failed': event('delivery:failed', { delivery_id: text, plugin: text, handler: text, error: text }),
  'plugin:installed': event('plugin:installed', plugin),
  'plugin:upgraded': event('plugin:upgraded', { ...plugin, from_version: text }),
  'plugin:removed': event('plugin:removed', plugin),
  'plugin:enabled': event('plugin:enabled', plugin),
  'plugin:disabled': event('plugin:disabled', plugin),
  'plugin:quarantined': event('plugin:quarantined', { ...plugin, reason: text }),
  'approval:requested': event('approval:requested', approval),
  'approval:decided': event('approval:decided', {
    ...approval,
    decision: z.enum(['approved', 'refused']),
    ...approved,
    /** How whoever decided proved who they are; absent where that was not asked. */
    proof: z.optional(z.enum(['token'])),
  }),
};

/** The name of an event. */
export type EventName = keyof typeof events;

/** The payload of event `E`. */
export type EventPayload<E extends EventName> = z.output<(typeof events)[E]>;
