import type { EventName, EventPayload } from 'patchbay-sdk';

type Payload = EventPayload<EventName>;

const runStatuses: { readonly [E in EventName]?: string } = {
  'run:completed': 'completed',
  'run:held': 'blocked',
  'run:failed': 'failed',
  'run:aborted': 'aborted',
};

/** A payload as processes of the 0.1 form know it: under their names as far as it has them, and under ours. */
export function shippedPayload(payload: Payload): Record<string, unknown> {
  return {
    ...payload,
    role_id: payload.role,
    run_status: runStatuses[payload.event] ?? 'active',
    ...countsIn(payload),
    ...gateIn(payload),
    ...blockedIn(payload),
  };
}

function countsIn(payload: Payload): Record<string, unknown> {
  if ('result' in payload) {
    const { decisions, objections } = payload.result;
    return { decisions_count: decisions.length, objections_count: objections.length };
  }
  if (!('run_summary' in payload)) return {};
  const { decisions, objections, turns } = payload.run_summary;
  return { decisions_count: decisions, objections_count: objections, history_length: turns };
}

function gateIn(payload: Payload): Record<string, unknown> {
  if (!('from_phase' in payload)) return {};
  const { from_phase, to_phase, phase } = payload;
  return {
    gate_type: to_phase === null ? 'run_completion' : 'phase_transition',
    current_phase: from_phase ?? phase,
    target_phase: to_phase,
  };
}

function blockedIn(payload: Payload): Record<string, unknown> {
  if (payload.event !== 'run:held') return {};
  return { blocked_reason: payload.reason ?? null, failed_turn_id: payload.turn_id, failed_role: payload.role };
}
