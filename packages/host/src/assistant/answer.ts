import type { RunState } from '../runs/state.ts';

/** What is said is cut to this length. */
const mostCharacters = 262_144;

/** What a run that has ended says to whoever asked. */
export function answerOf(state: RunState): string {
  const { run_id, status, reason, turns } = state;
  if (status !== 'completed') return apology(`${status}: ${reason ?? 'nobody said why'}`, run_id);
  const last = turns.findLast((turn) => turn.reviews === null && turn.state === 'accepted')?.result;
  const told = last?.report?.['text'];
  const text = typeof told === 'string' && told.trim() !== '' ? told : (last?.summary ?? '');
  return text.trim() === '' ? '(no answer)' : cut(text);
}

/** What is said where no answer came about, and why. */
export function apology(why: string, run_id: string | null): string {
  const which = run_id === null ? '' : ` (${run_id})`;
  return cut(`I could not answer this${which}: ${why}`);
}

function cut(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)} …` : text;
}
