import { styleText } from 'node:util';
import { dollars, loadRun, type RunState } from 'patchbay-host';
import type { LedgerStore } from 'patchbay-host/ledger';
import type { Input } from './command.ts';
import { elapsed } from './elapsed.ts';
import { StatusLine, type Terminal } from './status-line.ts';
import { cutTo, plainLine } from './width.ts';

/** How often the time that has passed is shown anew. */
const tickMs = 1_000;

/** Whether people look at a terminal that can redraw a line. */
function isLive({ json }: Pick<Input, 'json'>, { isTTY }: Terminal): boolean {
  return !json && isTTY === true && process.env['TERM'] !== 'dumb';
}

/**
 * Shows how a run goes while `act` does, by a line at the bottom of the terminal: what is printed meanwhile stays above it. Where
 * there is no terminal to redraw a line of, nothing is shown.
 */
export async function showing<T>(
  ledger: LedgerStore,
  run_id: string,
  input: Pick<Input, 'json' | 'signal'>,
  act: () => Promise<T>,
  terminal: Terminal = process.stderr,
): Promise<T> {
  if (!isLive(input, terminal)) return act();
  const line = new StatusLine(terminal);
  let state: RunState | undefined;
  const draw = () => {
    if (state !== undefined) line.show(statusText(state, new Date(), input.signal.aborted));
  };
  const look = soonAgain(async () => {
    state = (await loadRun(ledger, run_id)).state;
    draw();
  });
  const timer = setInterval(draw, tickMs);
  const unhear = [ledger.on('appended', look), ledger.on('elsewhere', look)];
  input.signal.addEventListener('abort', draw);
  look();
  try {
    return await act();
  } finally {
    for (const undo of unhear) undo();
    clearInterval(timer);
    input.signal.removeEventListener('abort', draw);
    line.close();
  }
}

/** What an agent has printed, as people are shown it: indented; on a terminal also dimmed, and cut where it is too wide. */
export function agentLines(
  text: string,
  input: Pick<Input, 'json'>,
  terminal: NodeJS.WriteStream = process.stderr,
): string {
  const mark = '    | ';
  const lines = text.split('\n');
  if (!isLive(input, terminal)) return lines.map((line) => mark + line).join('\n');
  const columns = terminal.columns || 80;
  const dim = (line: string) => styleText('dim', line, { stream: terminal });
  return lines.map((line) => dim(cutTo(mark + plainLine(line), columns - 1))).join('\n');
}

/** Where a run is, in one line, what matters most first: its phase, for how long a turn is under way, its cost, who works on what. */
function statusText({ phase, turns, cost }: RunState, now: Date, isStopping: boolean): string {
  const working = turns.filter(({ state }) => state === 'dispatched');
  const since = working.map(({ dispatch }) => now.getTime() - Date.parse(dispatch.at));
  const parts = [
    ...(isStopping ? ['stopping'] : []),
    ...(phase === '' ? [] : [phase]),
    ...(since.length === 0 ? [] : [elapsed(Math.max(...since))]),
    dollars(cost.usd),
    ...working.map(({ turn_id, role, attempt }) => `${turn_id} (${role}), attempt ${attempt}`),
  ];
  return `  ${parts.join(' · ')}`;
}

/** Calls that come while it works are one more call. What goes wrong is for others to tell. */
function soonAgain(act: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;
  const run = async () => {
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await act().catch(() => {});
    }
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void run();
  };
}
