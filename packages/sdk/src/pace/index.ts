export type { InboundRequest, WebhookProof } from '../capabilities.ts';
export {
  type AnyConfig,
  HookBase,
  type HookClass,
  hook,
  PluginBase,
  paceKind,
  paceStart,
  type Trigger,
  WebhookInBase,
  WebhookOutBase,
} from './bases.ts';
export type {
  ConduitReport,
  GateReport,
  Handoff,
  PaceContext,
  PaceDocuments,
  SentinelReport,
  StoryCard,
} from './context.ts';
export {
  AFTER_CONDUIT,
  AFTER_DAY,
  AFTER_FORGE,
  AFTER_GATE,
  AFTER_SENTINEL,
  BEFORE_CONDUIT,
  BEFORE_DAY,
  BEFORE_FORGE,
  BEFORE_GATE,
  BEFORE_SENTINEL,
  isPaceEvent,
  type PaceEvent,
  type PaceEventRow,
  paceEvents,
} from './events.ts';
export { paceSample } from './samples.ts';
