import type { Hooks } from 'patchbay-sdk';
import type { Kernel } from '../kernel/index.ts';
import type { LedgerStore } from '../ledger/index.ts';
import { Emitter } from '../outbound/emitter.ts';
import { Approvals, type Decision, type PendingCall } from './approvals.ts';

const unknown = { version: null, digest: null, hide: <T>(value: T) => value, rights: null };

/** Decides on a call beside whoever is the host of the project, who heeds it. Throws APPROVAL_INVALID as `Services.decide` does. */
export function decideCall(
  kernel: Kernel<Hooks>,
  ledger: LedgerStore,
  approval_id: string,
  decision: Decision,
): Promise<PendingCall> {
  const emitter = new Emitter(kernel, ledger, () => unknown);
  return new Approvals({ ledger, emitter, now: Date.now, approvalMs: 0 }).decide(approval_id, decision);
}
