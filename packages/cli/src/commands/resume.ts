import { loadRun } from 'patchbay-host';
import { openStatuses } from 'patchbay-host/ledger';
import { type Crew, crewing } from '../carry-on.ts';
import type { Input, Output, Run } from '../command.ts';
import { standingOutput, whoami } from '../run-output.ts';

export const run: Run = (input) => {
  const [run_id] = input.args;
  return crewing(input, async (crew) => {
    if (run_id !== undefined) return resumed(crew, run_id, input);
    const outputs: Output[] = [];
    for await (const { run_id: open } of crew.ledger.runs({ status: openStatuses })) {
      outputs.push(standingOutput(await crew.carryOn(open)));
    }
    const text = outputs.length === 0 ? 'No run is open.' : outputs.map((output) => output.text).join('\n');
    // The worst of them: 4 one is held, 3 one waits.
    const exitCode = Math.max(0, ...outputs.map((output) => output.exitCode ?? 0));
    return { json: outputs.map(({ json }) => json), text, exitCode };
  });
};

/** A held run has ended: it is begun anew where it was held. */
async function resumed({ runs, ledger, carryOn }: Crew, run_id: string, input: Input): Promise<Output> {
  const { state } = await loadRun(ledger, run_id);
  const { by, overrule = [] } = input.options;
  const overruled = (overrule as string[]).flatMap((ids) => ids.split(',')).filter((id) => id !== '');
  const isReleased = state?.status === 'held' || overruled.length > 0;
  const next = isReleased ? await runs.release(run_id, whoami(by), overruled) : run_id;
  return standingOutput(await carryOn(next));
}
