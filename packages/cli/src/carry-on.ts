import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Host,
  loadRun,
  openHost,
  type RunState,
  type Service,
  type Standing,
  stateDir,
  unlabelled,
} from 'patchbay-host';
import type { LedgerStore } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk';
import { builtins } from './builtins.ts';
import type { Input } from './command.ts';
import { type Beside, besideIn, followBeside } from './follow.ts';
import { agentLines, showing } from './progress.ts';
import { stepLine } from './run-output.ts';

/** How long plugins have, after a run has stopped, to be told of it before the command ends; the rest is told later. */
const restMs = 30_000;

/** Opens the plugins of the project without being its host. `labels` are for when it becomes that. */
export async function beside<T>(
  input: Input,
  act: (host: Host) => Promise<T>,
  labels: readonly string[] = [],
): Promise<T> {
  const { cwd, version, progress } = input;
  const turnLog = (_: unknown, text: string) => progress(agentLines(text, input));
  const onWarning = (warning: string) => progress(`warning: ${warning}`);
  const host = await openHost({ cwd, version, builtins, turnLog, onWarning, labels });
  try {
    for (const { name, reason, fix } of host.quarantined)
      progress(`plugin "${name}" is quarantined: ${reason}; ${fix}`);
    return await act(host);
  } finally {
    await host.close();
  }
}

/** Runs, and whoever carries them on: this process, or another one beside it. */
export interface Crew {
  readonly runs: Service['runs'];
  readonly ledger: LedgerStore;
  /** Has a run carried on, and tells how it goes, until it ends or waits. */
  carryOn(run_id: string): Promise<Standing>;
}

/**
 * Lets `act` work with the runs of the project, whose host this process is. Where another one is, which carries on all runs, they are
 * left to it and followed. Where that one carries on only its own, throws PROJECT_HELD; or, if `leave` is said, leaves them
 * to whoever is the next host.
 */
export function crewing<T>(input: Input, act: (crew: Crew) => Promise<T>, held?: 'leave'): Promise<T> {
  return beside(input, async (host) => {
    let service: Service;
    try {
      service = await host.start();
    } catch (error) {
      if (!(error instanceof PatchbayError) || error.code !== 'PROJECT_HELD' || host.project === undefined) throw error;
      const state = stateDir(host.project.dir);
      const others = besideIn(state);
      const isServed = others.isServed();
      if (!isServed && held !== 'leave') throw error;
      const how = isServed ? 'it carries the run on' : 'it, or "patchbay resume", carries the run on';
      input.progress(`${error.message}: ${how}`);
      return host.beside((runs, ledger) => {
        const carry = (run_id: string) =>
          isServed
            ? showing(ledger, run_id, input, () => followBeside(ledger, run_id, others, input))
            : loadRun(ledger, run_id);
        return act({ runs, ledger, carryOn: carry });
      });
    }
    const { runs, ledger } = service;
    return act({ runs, ledger, carryOn: (run_id) => carryOrFollow(service, run_id, input) });
  });
}

/** Changes a run, and has it carried on: the one that `change` names, if it names another. */
export function changing(
  input: Input,
  run_id: string,
  change: (runs: Service['runs']) => Promise<string | void>,
): Promise<Standing> {
  const act = async ({ runs, carryOn: carry }: Crew) => {
    let next = run_id;
    try {
      next = (await change(runs)) ?? run_id;
    } catch (error) {
      // Somebody beside may have decided what this was about, and left it to be carried on.
      if (error instanceof PatchbayError && error.code === 'APPROVAL_INVALID') await carry(run_id);
      throw error;
    }
    return carry(next);
  };
  return crewing(input, act, 'leave');
}

/** Carries a run on; or follows it, where other hosts on the same database serve or one of them has it. */
async function carryOrFollow(service: Service, run_id: string, input: Input): Promise<Standing> {
  const { ledger, peers } = service;
  const others: Beside = {
    isServed: () => peers.isServed || peers.isElsewhere('run', run_id),
    troubleOf: () => undefined,
  };
  if (!others.isServed()) {
    try {
      const state = await carryOn(service, run_id, input);
      return { ...(await loadRun(ledger, run_id)), state };
    } catch (error) {
      if (!(error instanceof PatchbayError) || error.code !== 'RUN_ELSEWHERE') throw error;
    }
  }
  input.progress('another host carries the run on');
  return showing(ledger, run_id, input, () => followBeside(ledger, run_id, others, input));
}

/** Carries a run on and tells how it goes, until it ends or waits. Throws HOST_LABELS if others must go on with it. */
export async function carryOn(service: Service, run_id: string, input: Input): Promise<RunState> {
  const { progress, signal } = input;
  const unhear = service.ledger.on('appended', ({ event }) => {
    const line = event.run_id === run_id ? stepLine(event) : undefined;
    if (line !== undefined) progress(line);
  });
  try {
    const state = await showing(service.ledger, run_id, input, () => service.runs.advance(run_id, signal));
    await Promise.race([service.rest(), sleep(restMs, undefined, { ref: false })]);
    const rest = service.runs.rest(state);
    if (rest.at === 'elsewhere' && !signal.aborted) throw unlabelled(run_id, rest.lacking);
    return state;
  } finally {
    unhear();
  }
}
