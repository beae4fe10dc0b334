import type { EventName, EventPayload } from './events.ts';
import type { HookName, Payload } from './hooks.ts';

const common = {
  event_id: '01JC0000000000000000000000',
  at: '2026-01-01T12:00:00.000Z',
  run_id: 'run-1',
  template: 'governed',
  goal: 'Make the tests pass',
  phase: 'implementation',
  role: 'developer',
  turn_id: 'turn-2',
  attempt: 1,
  summary: 'Fixed the off-by-one in the pager',
};
const host = { run_id: null, template: null, goal: null, phase: null, role: null, turn_id: null, attempt: null };
const cost = { input_tokens: 1200, output_tokens: 340, usd: 0.02 };
const verification: EventPayload<'turn:submitted'>['verification'] = {
  status: 'pass',
  commands: ['npm test'],
  machine_evidence: [{ command: 'npm test', exit_code: 0 }],
};
const decisions = [
  { id: 'DEC-1', category: 'implementation', statement: 'Count pages from one', rationale: 'As people do' },
];
const result: EventPayload<'turn:submitted'>['result'] = {
  status: 'completed',
  summary: common.summary,
  decisions,
  objections: [],
  files_changed: ['src/pager.ts'],
  verification,
  artifact: null,
  proposed_next_role: 'reviewer',
  cost,
};
const submitted = { result, decision_summary: '1 decision', files_changed: ['src/pager.ts'], verification, cost };
const run_summary = {
  turns: 3,
  phases: [{ name: 'implementation', started_at: common.at, ended_at: common.at }],
  decisions: 1,
  objections: 0,
  verification,
  cost,
};
const settled = { run_summary, decisions, objections: [] };
const gate = { gate: 'ship', from_phase: 'implementation', to_phase: 'review' };
const approved = { approver: 'ada', comment: 'Looks right' };
const message = { chat_jid: 'terminal:1', sender_name: 'Ada', content: 'Hello', timestamp: common.at, is_bot: false };
const plugin = { plugin: 'greeter', version: '1.0.0' };
const approval = { approval_id: 'approval-1', kind: 'gate', waiting_for: 'a person', expires_at: null };
const commit = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const eventSamples: { readonly [E in EventName]: Omit<EventPayload<E>, 'event'> } = {
  'run:started': { ...common, config_summary: {}, roles: ['developer', 'reviewer'], phases: ['implementation'] },
  'turn:dispatched': {
    ...common,
    step: 'implementation/developer',
    reviews: null,
    adapter: 'script',
    bundle: { path: '.patchbay/dispatch/turn-2', files: [{ path: 'goal.md', sha256: commit }], sha256: commit },
  },
  'turn:submitted': { ...common, ...submitted },
  'turn:accepted': { ...common, ...submitted },
  'turn:rejected': { ...common, reason: 'A test is missing', errors: [], by: 'reviewer', next_attempt: 2 },
  'turn:failed': {
    ...common,
    error: { code: 'TIMEOUT', message: 'took too long' },
    exit_code: null,
    signal: 'SIGTERM',
    timed_out: true,
  },
  'gate:pending': { ...common, ...gate, kind: 'human', waiting_for: 'approval', expires_at: null },
  'gate:transition': { ...common, ...gate, ...approved },
  'gate:completion': { ...common, gate: 'ship', ...approved, run_summary },
  'advisory:recorded': {
    ...common,
    by: 'sentinel',
    advisory: 'The client has no timeout',
    advisory_id: 'adv-3f2a91bc',
  },
  'advisory:cleared': {
    ...common,
    ...host,
    advisory_id: 'adv-3f2a91bc',
    advisory: 'The client has no timeout',
    by: 'ada',
    reason: 'It only talks to itself',
  },
  'run:completed': { ...common, ...settled },
  'run:held': { ...common, ...settled, reason: 'Retries exhausted' },
  'run:failed': { ...common, ...settled, reason: 'The workspace is gone' },
  'run:aborted': { ...common, ...settled, reason: 'Not needed any more' },
  'message:received': { ...common, ...message },
  'message:sent': { ...common, ...message, sender_name: 'Patchbay', is_bot: true },
  'agent:activity': { ...common, chat_jid: message.chat_jid, active: true },
  'agent:trace': { ...common, chat_jid: message.chat_jid, trace_type: 'text', data: { text: 'Looking at the pager' } },
  'chat:cleared': { ...common, ...host, chat_jid: message.chat_jid },
  'webhook:received': {
    ...common,
    ...host,
    plugin: plugin.plugin,
    path: '/github/push',
    delivery_id: 'delivery-1',
    headers: { 'content-type': 'application/json' },
    body: '{"ref":"refs/heads/main"}',
  },
  'delivery:failed': { ...common, delivery_id: 'delivery-1', plugin: 'greeter', handler: 'greeter#1', error: 'gone' },
  'plugin:installed': { ...common, ...host, ...plugin },
  'plugin:upgraded': { ...common, ...host, ...plugin, from_version: '0.9.0' },
  'plugin:removed': { ...common, ...host, ...plugin },
  'plugin:enabled': { ...common, ...host, ...plugin },
  'plugin:disabled': { ...common, ...host, ...plugin },
  'plugin:quarantined': { ...common, ...host, ...plugin, reason: 'Its files differ from the lock file' },
  'approval:requested': { ...common, ...approval },
  'approval:decided': { ...common, ...approval, ...approved, decision: 'approved' },
};

/** Made anew each time: they hold functions, which cannot be cloned. */
const otherSamples = (): { readonly [H in Exclude<HookName, EventName>]: Payload<H> } => ({
  agentCore: {},
  serviceTools: {},
  skills: {},
  channel: {
    onMessage: async () => {},
    onChatMetadata: () => {},
    registeredGroups: () => ({}),
    sendMessage: async () => {},
    lastMessage: async () => null,
  },
  containerRuntime: {},
  tunnel: {},
  observer: { project: '/work/project' },
  memory: { project: '/work/project' },
  mcpServers: {},
  webhooks: { startRun: async () => 'run-1' },
  llmProvider: {},
  platform: { project: '/work/project', settings: {} },
  reporter: {},
  workspace: {},
  artifactStore: { project: '/work/project' },
  'host:ready': { version: '0.1.0', project: null },
});

/** A payload of hook `H` as it might come, with what you say in place of what it has. Made anew each time. */
export function sample<H extends HookName>(hook: H, changes: Partial<Payload<H>> = {}): Payload<H> {
  const isEvent = Object.hasOwn(eventSamples, hook);
  const payload = isEvent
    ? { event: hook, ...structuredClone(eventSamples[hook as EventName]) }
    : otherSamples()[hook as Exclude<HookName, EventName>];
  return { ...payload, ...changes } as Payload<H>;
}
