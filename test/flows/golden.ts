import type { EventPayload } from 'patchbay-sdk';
import type { StoredEvent } from '../../packages/host/src/ledger/index.ts';

type Payload = StoredEvent['payload'];

/**
 * A ledger as text: one step in a line, with what matters of it. Times, hashes, folders, ports and ids of runs are different
 * each time and left out.
 */
export function goldenOf(events: readonly StoredEvent[], project: string): string {
  const runs = [...new Set(events.map(({ run_id }) => run_id))];
  let text = events.map(({ payload }) => `${headOf(payload)}${bodyOf(payload)}`.trimEnd()).join('\n');
  text = text.replaceAll(project, 'PROJECT').replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS');
  for (const [i, run] of runs.entries()) text = text.replaceAll(String(run), `RUN${i + 1}`);
  return `${text}\n`;
}

/** Turns at the same time come in any order: here one after the other, in this order, where the first of them began. */
export function inOrder(events: readonly StoredEvent[], turns: readonly string[]): StoredEvent[] {
  const isOne = ({ turn_id }: StoredEvent) => turn_id !== null && turns.includes(turn_id);
  const at = events.findIndex(isOne);
  const sorted = turns.flatMap((turn) => events.filter(({ turn_id }) => turn_id === turn));
  return [...events.slice(0, at), ...sorted, ...events.slice(at).filter((event) => !isOne(event))];
}

function headOf({ event, turn_id, attempt }: Payload): string {
  return turn_id === null ? event : `${event} ${turn_id}#${attempt}`;
}

function bodyOf(payload: Payload): string {
  switch (payload.event) {
    case 'run:started':
      return `: ${payload.goal}${line('phases', payload.phases)}${line('roles', payload.roles)}${line('resumes', payload.resumes)}`;
    case 'turn:dispatched':
      return ` by ${payload.adapter}${payload.reviews === null ? '' : `, reviews ${payload.reviews}`}`;
    case 'turn:submitted':
    case 'turn:accepted':
      return workOf(payload);
    case 'turn:rejected':
      return ` by ${payload.by}: ${payload.reason}${line('errors', payload.errors)}${line('next attempt', payload.next_attempt ?? 'none')}`;
    case 'turn:failed': {
      const { error, exit_code, signal, timed_out, cost } = payload;
      const end = [exit_code === null ? [] : `exit ${exit_code}`, signal ?? [], timed_out ? 'timed out' : []].flat();
      const usd = line('usd', cost === undefined || cost.usd === 0 ? [] : [cost.usd]);
      return `: ${error.code}${line('end', end)}${line('errors', error.message.split('\n'))}${usd}`;
    }
    case 'gate:pending':
      return ` ${payload.gate} (${payload.kind}), ${payload.from_phase} -> ${payload.to_phase ?? 'end'}`;
    case 'gate:transition':
      return ` ${payload.gate}, ${payload.from_phase} -> ${payload.to_phase}, by ${payload.approver}${said(payload.comment)}`;
    case 'gate:completion':
      return ` ${payload.gate}, by ${payload.approver}${said(payload.comment)}${summaryOf(payload.run_summary)}`;
    case 'approval:requested':
      return `: ${payload.waiting_for}`;
    case 'approval:decided':
      return ` by ${payload.approver}: ${payload.decision}${said(payload.comment)}`;
    case 'advisory:recorded':
      return ` by ${payload.by}: ${payload.advisory}`;
    case 'run:completed':
    case 'run:held':
    case 'run:failed':
    case 'run:aborted':
      return `${said(payload.reason ?? null)}${summaryOf(payload.run_summary)}${line('decided', payload.decisions.map(told))}`;
    default:
      return '';
  }
}

function workOf({
  result,
  files_changed,
  verification,
  cost,
}: EventPayload<'turn:accepted'> | EventPayload<'turn:submitted'>) {
  const ran = verification.machine_evidence.map(({ command, exit_code }) => `${command} exited with ${exit_code}`);
  return [
    `: ${result.summary}`,
    line('status', result.status === 'completed' ? [] : [result.status]),
    line('decides', decisionOf(result)),
    line('files', files_changed),
    line('verification', ran),
    line('decided', result.decisions.map(told)),
    line('objections', result.objections.map(told)),
    line('usd', cost.usd === 0 ? [] : [cost.usd]),
  ].join('');
}

/** What the report of a reviewer says. */
function decisionOf({ report }: EventPayload<'turn:submitted'>['result']): string[] {
  return Object.entries(report ?? {}).flatMap(([name, value]) => (name.endsWith('_decision') ? String(value) : []));
}

function summaryOf({
  turns,
  phases,
  decisions,
  objections,
  verification,
  cost,
}: EventPayload<'run:completed'>['run_summary']) {
  const counts = `${turns} turns, ${decisions} decisions, ${objections} objections, verification ${verification.status}`;
  return `${line(
    'phases',
    phases.map(({ name }) => name),
  )}${line('summary', `${counts}, ${cost.usd} USD`)}`;
}

function told({ id, statement }: { readonly id: string; readonly statement: string }): string {
  return `${id} ${statement}`;
}

function said(text: string | null): string {
  return text === null ? '' : `: ${text}`;
}

function line(name: string, value: undefined | string | number | readonly (string | number)[]): string {
  const values = value === undefined ? [] : [value].flat();
  return values.length === 0 ? '' : `\n    ${name}: ${values.join(', ')}`;
}
