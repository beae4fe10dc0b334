import { type Decision, decideCall } from 'patchbay-host';
import { beside } from './carry-on.ts';
import type { Input, Output } from './command.ts';

/** Whether an id is that of a call of a tool rather than of a run. */
export function isCall(id: string | undefined): id is string {
  return id !== undefined && /^tool-[0-9a-f]{12}$/.test(id);
}

/** Decides on a call that waits; whoever is the host of the project heeds it, now or when there is one. */
export async function decideOnCall(input: Input, id: string, decision: Decision): Promise<Output> {
  const call = await beside(input, (host) => host.beside((_, ledger) => decideCall(host.kernel, ledger, id, decision)));
  const where = call.workspace === null ? '' : ` in workspace ${call.workspace}`;
  return {
    json: { ...call, decision: decision.decision, by: decision.by },
    text: `${id}: ${decision.decision}, ${call.tool}${where}`,
  };
}
