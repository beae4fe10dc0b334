export { type Decision, findPending, type PendingCall, pendingCalls } from './approvals.ts';
export { decideCall } from './beside.ts';
export { Services, type ServicesParts } from './services.ts';
export type { ServerTools } from './tool.ts';
export type { OpenTurnTools, ToolUser, TurnTools } from './turn-tools.ts';
