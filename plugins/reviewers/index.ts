export { review as conduit } from './conduit/conduit.ts';
export { review as gate } from './gate/gate.ts';
export type {
  CommandOutcome,
  CriterionResult,
  Decision,
  Finding,
  GateReport,
  ReviewInput,
  Verification,
} from './review.ts';
export { review as sentinel } from './sentinel/sentinel.ts';
