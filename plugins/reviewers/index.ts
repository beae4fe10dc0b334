export { type ConduitReport, review as conduit } from './conduit/conduit.ts';
export { conduitCore, gateCore, sentinelCore } from './cores.ts';
export { review as gate } from './gate/gate.ts';
export type {
  CommandOutcome,
  CriterionResult,
  Decision,
  Finding,
  FindingsReport,
  GateReport,
  ReviewInput,
  Verification,
} from './review.ts';
export { review as sentinel, type SentinelReport } from './sentinel/sentinel.ts';
