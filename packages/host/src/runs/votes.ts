import type { StandingGate } from './state.ts';
import type { Approval } from './template/template.ts';

/** Whether those who decide on a gate must prove who they are. */
export function needsProof({ kind, policy }: Approval): boolean {
  return kind === 'credentialed' || policy?.otherwise === 'credentialed';
}

/** Where people must prove who they are, nothing counts that nobody stands behind. */
export function votesThatCount({ votes }: StandingGate, approval: Approval): StandingGate['votes'] {
  return needsProof(approval) ? votes.filter(({ proven }) => proven) : votes;
}
