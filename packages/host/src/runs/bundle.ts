import type { TurnChat } from 'patchbay-sdk';
import { documentsIn } from '../day/bundle.ts';
import { holdReasonOf } from './reviews.ts';
import type { RunState, Turn } from './state.ts';
import type { Plan } from './workshop.ts';

/** The files that a core is given: what it should know, and nothing it has to be believed about. */
export function bundleOf(
  { state, step, role: name, attempt, turn_id, reviews }: Plan,
  patch: string | null,
  chat: TurnChat | null = null,
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
    hold_reason: before === undefined ? heldBefore(state, reviews) : holdReasonOf(state, before),
    inputs: state.inputs,
  };
  return {
    'turn.json': json(turn),
    'goal.md': `${state.goal}\n`,
    'mandate.md': `${role?.mandate ?? ''}\n`,
    'decisions.json': json(state.decisions),
    'objections.json': json(state.objections),
    ...Object.fromEntries(
      Object.entries(documentsIn(state, role?.report ?? null)).map(([file, one]) => [file, json(one)]),
    ),
    ...(chat === null
      ? {}
      : { 'conversation.json': json({ jid: chat.jid, workspace: chat.workspace, history: chat.history }) }),
    ...(patch === null ? {} : { 'changes.patch': patch }),
  };
}

/** Why the run that this one resumes was held, for those who work in the phase in which it was. */
function heldBefore({ held_for, phases }: RunState, reviews: Turn | null): string | null {
  return reviews === null && phases.length === 1 ? held_for : null;
}

function reviewed({ turn_id, attempt, role, result }: Turn) {
  return { turn_id, attempt, role, result };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
