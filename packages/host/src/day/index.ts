export { type BacklogItem, backlogOf, clearAdvisory } from './backlog.ts';
export { type DayRun, dayRuns, type Standing, standingOf } from './days.ts';
export {
  type Decision,
  type DocumentName,
  type DocumentOf,
  documentNames,
  documents,
} from './documents.ts';
export { type Plan, type PlanDay, readPlan } from './plan.ts';
export { type DayAnswer, type DayParts, type DayWanted, planFile, requestDay } from './request.ts';
export { dollars, type Spend, spendByDay } from './spend.ts';
