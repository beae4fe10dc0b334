export type {
  AgentCore,
  Channel,
  ContainerRuntime,
  EventBus,
  InboundReply,
  InboundRequest,
  LlmAnswer,
  LlmCall,
  LlmMessage,
  LlmProvider,
  LlmRequest,
  McpServer,
  Memory,
  MemoryCategory,
  NewMessage,
  Observer,
  Platform,
  PlatformThing,
  ProgramEnd,
  Reporter,
  RunReport,
  ServiceRequest,
  ServiceResponse,
  ServiceTool,
  Tunnel,
  TurnWork,
  Webhook,
  WebhookProof,
  Workspace,
} from './capabilities.ts';
export { type Dialect, dialects, type OrderRule } from './dialects.ts';
export { type Blame, type ErrorCode, errorCodes, messageOf, PatchbayError } from './errors.ts';
export { type EventName, type EventPayload, events, turnResult } from './events.ts';
export {
  type Answer,
  type CapabilityName,
  capabilityHooks,
  eventHooks,
  type HookName,
  type Hooks,
  hooks,
  type Payload,
  type Result,
} from './hooks.ts';
export { nearest, suggestion } from './nearest.ts';
export {
  type After,
  type AnyPlugin,
  type ConfigInput,
  type ConfigOf,
  definePlugin,
  type Handler,
  type HandlerOptions,
  type HandlerSpec,
  type HookContext,
  type Implementation,
  type Log,
  type Outcome,
  type Plugin,
  type Wrapper,
  type WrapperSpec,
} from './plugin.ts';
export type {
  AnswerOf,
  FailurePolicy,
  HookKind,
  HookRow,
  HookTable,
  Merged,
  PayloadOf,
  ResultOf,
  Schema,
} from './row.ts';
export { sample } from './samples.ts';
export { fieldsOf, type Problem, problemOf, problemsOf } from './schema.ts';
export { isVerdict, refuse, type Verdict, verdict } from './verdict.ts';
