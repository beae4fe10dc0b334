import type { EventName, HookName } from 'patchbay-sdk';

// Written out, not read off the tables: those make the schemas of every hook, and a manifest only names some. One that
// is missing here, or too much, does not compile.
const events: Record<EventName, 1> = {
  'run:started': 1,
  'turn:dispatched': 1,
  'turn:submitted': 1,
  'turn:accepted': 1,
  'turn:rejected': 1,
  'turn:failed': 1,
  'gate:pending': 1,
  'gate:transition': 1,
  'gate:completion': 1,
  'advisory:recorded': 1,
  'advisory:cleared': 1,
  'run:completed': 1,
  'run:held': 1,
  'run:failed': 1,
  'run:aborted': 1,
  'message:received': 1,
  'message:sent': 1,
  'agent:activity': 1,
  'agent:trace': 1,
  'chat:cleared': 1,
  'webhook:received': 1,
  'delivery:failed': 1,
  'plugin:installed': 1,
  'plugin:upgraded': 1,
  'plugin:removed': 1,
  'plugin:enabled': 1,
  'plugin:disabled': 1,
  'plugin:quarantined': 1,
  'approval:requested': 1,
  'approval:decided': 1,
};
const others: Record<Exclude<HookName, EventName>, 1> = {
  agentCore: 1,
  serviceTools: 1,
  skills: 1,
  channel: 1,
  containerRuntime: 1,
  tunnel: 1,
  observer: 1,
  memory: 1,
  mcpServers: 1,
  webhooks: 1,
  llmProvider: 1,
  platform: 1,
  reporter: 1,
  workspace: 1,
  artifactStore: 1,
  'host:ready': 1,
};

/** The names of all events, in the order of their table. */
export const eventNames: readonly string[] = Object.keys(events);
/** The names of all hooks, events first, in the order of their table. */
export const hookNames: readonly string[] = [...eventNames, ...Object.keys(others)];
