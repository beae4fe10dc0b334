import type { Turn } from './state.ts';
import type { Plan } from './workshop.ts';

/** The files that a core is given: what it should know, and nothing it has to be believed about. */
export function bundleOf(
  { state, step, role: name, attempt, turn_id, reviews }: Plan,
  patch: string | null,
): Record<string, string> {
  const role = state.template.roles[name];
  const before = state.turns.find((turn) => turn.turn_id === turn_id);
  const turn = {
    run_id: state.run_id,
    turn_id,
    attempt,
    phase: state.phase,
    role: name,
    title: role?.title ?? name,
    goal: state.goal,
    writes: role?.writes ?? [],
    verify: step.verify,
    reviews: reviews === null ? null : reviewed(reviews),
    feedback: before?.feedback ?? [],
  };
  return {
    'turn.json': json(turn),
    'goal.md': `${state.goal}\n`,
    'mandate.md': `${role?.mandate ?? ''}\n`,
    'decisions.json': json(state.decisions),
    'objections.json': json(state.objections),
    ...(patch === null ? {} : { 'changes.patch': patch }),
  };
}

function reviewed({ turn_id, attempt, role, result }: Turn) {
  return { turn_id, attempt, role, result };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
