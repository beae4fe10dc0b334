import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, loadRun, openHost, type RunState, type Service } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { builtins } from './builtins.ts';
import type { Input } from './command.ts';
import { stepLine } from './run-output.ts';

/** How long plugins have, after a run has stopped, to be told of it before the command ends; the rest is told later. */
const restMs = 30_000;

/** Opens the host of the project and lets it work while `act` does. */
export function working<T>(input: Input, act: (service: Service, host: Host) => Promise<T>): Promise<T> {
  return beside(input, async (host) => act(await host.start(), host));
}

/** Opens the plugins of the project without being its host. */
export async function beside<T>(input: Input, act: (host: Host) => Promise<T>): Promise<T> {
  const { cwd, version, progress } = input;
  const turnLog = (_: unknown, line: string) => progress(line.replaceAll(/^/gm, '    | '));
  const host = await openHost({ cwd, version, builtins, turnLog });
  try {
    for (const { name, reason, fix } of host.quarantined)
      progress(`plugin "${name}" is quarantined: ${reason}; ${fix}`);
    return await act(host);
  } finally {
    await host.close();
  }
}

/**
 * Changes a run, and carries it on as the host of the project. Where another process is that, it is only changed: that one, or
 * `patchbay resume`, carries it on.
 */
export function changing(
  input: Input,
  run_id: string,
  change: (runs: Service['runs']) => Promise<void>,
): Promise<RunState> {
  return beside(input, async (host) => {
    let service: Service;
    try {
      service = await host.start();
    } catch (error) {
      if (!(error instanceof PatchbayError) || error.code !== 'PROJECT_HELD') throw error;
      input.progress(`${error.message}: it, or "patchbay resume", carries the run on`);
      return host.beside(async (runs, ledger) => {
        await change(runs);
        return stateOf(await loadRun(ledger, run_id));
      });
    }
    try {
      await change(service.runs);
    } catch (error) {
      // Somebody beside may have decided what this was about, and left it to be carried on.
      if (error instanceof PatchbayError && error.code === 'APPROVAL_INVALID') await carryOn(service, run_id, input);
      throw error;
    }
    return carryOn(service, run_id, input);
  });
}

function stateOf({ row, state }: Awaited<ReturnType<typeof loadRun>>): RunState {
  if (state === undefined)
    throw new PatchbayError('RUN_UNKNOWN', `run ${row.run_id} has not begun`, { run: row.run_id });
  return state;
}

/** Carries a run on and tells how it goes, until it ends or waits. */
export async function carryOn(service: Service, run_id: string, { progress, signal }: Input): Promise<RunState> {
  const unhear = service.ledger.on('appended', ({ event }) => {
    const line = event.run_id === run_id ? stepLine(event) : undefined;
    if (line !== undefined) progress(line);
  });
  try {
    const state = await service.runs.advance(run_id, signal);
    await Promise.race([service.rest(), sleep(restMs, undefined, { ref: false })]);
    return state;
  } finally {
    unhear();
  }
}
