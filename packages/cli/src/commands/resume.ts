import { loadRun, type Service } from 'patchbay-host';
import { carryOn, working } from '../carry-on.ts';
import type { Input, Output, Run } from '../command.ts';
import { runOutput, whoami } from '../run-output.ts';

export const run: Run = (input) => {
  const [run_id] = input.args;
  return working(input, async (service) => {
    if (run_id !== undefined) return resumed(service, run_id, input);
    const outputs: Output[] = [];
    for await (const { run_id: open } of service.ledger.runs({ status: ['pending', 'active', 'waiting'] })) {
      outputs.push(runOutput(await carryOn(service, open, input)));
    }
    const text = outputs.length === 0 ? 'No run is open.' : outputs.map((output) => output.text).join('\n');
    // The worst of them: 4 one is held, 3 one waits.
    const exitCode = Math.max(0, ...outputs.map((output) => output.exitCode ?? 0));
    return { json: outputs.map(({ json }) => json), text, exitCode };
  });
};

/** A held run has ended: it is begun anew where it was held. */
async function resumed(service: Service, run_id: string, input: Input): Promise<Output> {
  const { state } = await loadRun(service.ledger, run_id);
  const isHeld = state?.status === 'held';
  const next = isHeld ? await service.runs.release(run_id, whoami(input.options['by'])) : run_id;
  return runOutput(await carryOn(service, next, input));
}
