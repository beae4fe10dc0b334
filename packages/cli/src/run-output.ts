import { userInfo } from 'node:os';
import type { RunState } from 'patchbay-host';
import { isSettled, type RunStatus, type StoredEvent } from 'patchbay-host/ledger';
import type { Output } from './command.ts';
import { columns } from './text.ts';

/** How a command ends that leaves a run in this status. */
const exitCodes: Readonly<Record<RunStatus, number>> = {
  pending: 0,
  active: 0,
  waiting: 3,
  completed: 0,
  held: 4,
  failed: 1,
  aborted: 0,
};

/** Who is at work here, unless they say otherwise. */
export function whoami(given: unknown): string {
  return given === undefined ? userInfo().username : String(given);
}

/** A run, for people and programs. */
export function runOutput(state: RunState): Output {
  const { run_id, template, status, turns, gates, reason } = state;
  const json = {
    run_id,
    template: template.name,
    status,
    turns: turns.map(({ turn_id, role, phase, attempt, state: at }) => ({ turn_id, role, phase, attempt, state: at })),
    gates,
    ...(reason === null ? {} : { reason }),
    cost: state.cost,
  };
  const lines = turns.map(({ turn_id, role, attempt, state: at, result }) => [
    `  ${turn_id}`,
    role,
    `attempt ${attempt}`,
    at,
    result?.summary ?? '',
  ]);
  const waits =
    status === 'waiting' && state.gate !== null
      ? `It waits for approval of gate "${state.gate.name}": patchbay approve ${run_id}`
      : undefined;
  const hasWork = turns.some(({ state: at, reviews }) => at === 'accepted' && reviews === null);
  const text = [
    `${run_id}: ${status}${reason === null ? '' : `, ${reason}`}`,
    ...(lines.length === 0 ? [] : [columns(lines)]),
    ...(waits === undefined ? [] : [waits]),
    ...(isSettled(status) && hasWork
      ? [`The work is on branch patchbay/${run_id}, if the project is a repository.`]
      : []),
  ].join('\n');
  return { json, text, exitCode: exitCodes[status] };
}

/** One step of a run, as it happens. */
export function stepLine({ type, payload }: StoredEvent): string | undefined {
  const { turn_id, attempt, summary } = payload;
  switch (type) {
    case 'turn:dispatched':
      return `  ${turn_id} (attempt ${attempt}) …`;
    case 'turn:submitted':
    case 'turn:accepted':
    case 'turn:rejected':
    case 'turn:failed':
      return `  ${turn_id} ${type.slice(5)}: ${summary}`;
    case 'gate:transition':
    case 'gate:completion':
      return `  ${summary}`;
    case 'approval:requested':
      return `  waits for ${summary}`;
    default:
      return undefined;
  }
}
