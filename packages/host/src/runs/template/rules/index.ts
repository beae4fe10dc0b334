import { phasesAreReached, phasesEnd } from './flow.ts';
import { approvalsCanBe, checksAreOne, gatesCheck, ownGatesAreFree, policiesDecide } from './gates.ts';
import { gatesExist, nextExists, phaseNamesDiffer, reviewersDiffer, rolesExist } from './names.ts';
import type { Rule } from './rule.ts';
import { checksHaveSubjects, gatesAreUsed, rolesAreUsed } from './unused.ts';

/** What must hold for a template to be carried out. */
export const rules: readonly Rule[] = [
  rolesExist,
  reviewersDiffer,
  gatesExist,
  nextExists,
  phaseNamesDiffer,
  phasesAreReached,
  phasesEnd,
  gatesCheck,
  checksAreOne,
  policiesDecide,
  approvalsCanBe,
  ownGatesAreFree,
];

/** What is most often a mistake, but stops nobody. */
export const advice: readonly Rule[] = [rolesAreUsed, gatesAreUsed, checksHaveSubjects];
