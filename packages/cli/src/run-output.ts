import { userInfo } from 'node:os';
import { type RunState, type SignOfLife, type Standing, shownRequest, shownRun, type Turn } from 'patchbay-host';
import { isSettled, type RunStatus, type StoredEvent } from 'patchbay-host/ledger';
import type { Output } from './command.ts';
import { lifeText } from './sign-of-life.ts';
import { columns, firstLine } from './text.ts';

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

/** The last sign of life of a turn that is worked on; undefined if there is none. */
export type LifeOf = (turn: Turn) => SignOfLife | undefined;

/** A run, for people and programs, with the signs of life of its turns where they are wanted. */
export function runOutput(state: RunState, lifeOf: LifeOf = () => undefined): Output {
  const { run_id, status, turns, reason } = state;
  const isOpen = !isSettled(status);
  const signs = turns.map((turn) => (isOpen && turn.state === 'dispatched' ? lifeOf(turn) : undefined));
  const lines = turns.map(({ turn_id, role, attempt, state: at, result }, i) => [
    `  ${turn_id}`,
    role,
    `attempt ${attempt}`,
    signs[i] === undefined ? at : lifeText(signs[i]),
    firstLine(result?.summary ?? null),
  ]);
  const waits =
    status === 'waiting' && state.gate !== null
      ? `It waits for approval of gate "${state.gate.name}": patchbay approve ${run_id}`
      : undefined;
  const hasWork = turns.some(({ state: at, reviews }) => at === 'accepted' && reviews === null);
  const shown = shownRun(state);
  const { day, day_decision } = shown;
  const text = [
    ...(day_decision === undefined ? [] : [`Day ${day}: ${day_decision}`]),
    `${run_id}: ${status}${reason === null ? '' : `, ${reason}`}`,
    ...(lines.length === 0 ? [] : [columns(lines)]),
    ...(waits === undefined ? [] : [waits]),
    ...(isSettled(status) && hasWork
      ? [`The work is on branch patchbay/${run_id}, if the project is a repository.`]
      : []),
    ...(day !== undefined && status === 'held'
      ? [`No day is begun until it is released: patchbay resume ${run_id}`]
      : []),
  ].join('\n');
  const shownTurns = shown.turns.map((turn, i) =>
    signs[i] === undefined ? turn : { ...turn, sign_of_life: signs[i] },
  );
  return { json: { ...shown, turns: shownTurns }, text, exitCode: exitCodes[status] };
}

/** How a run stands, for people and programs; it may not have begun. */
export function standingOutput({ row, state }: Standing, lifeOf?: LifeOf): Output {
  if (state !== undefined) return runOutput(state, lifeOf);
  return { json: shownRequest(row), text: `${row.run_id}: ${row.status}`, exitCode: exitCodes[row.status] };
}

/** One step of a run, as it happens. */
export function stepLine({ type, payload }: StoredEvent): string | undefined {
  const { turn_id, attempt } = payload;
  const summary = firstLine(payload.summary);
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
