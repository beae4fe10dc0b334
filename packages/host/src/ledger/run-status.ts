import type { EventName } from 'patchbay-sdk';

/** Where a run stands. The last four are its end. */
export type RunStatus = 'pending' | 'active' | 'waiting' | 'held' | 'completed' | 'failed' | 'aborted';

/** What an event makes of the status of its run; the others leave it as it is. */
export const statusAfter: { readonly [E in EventName]?: RunStatus } = {
  'run:started': 'active',
  'approval:requested': 'waiting',
  'gate:transition': 'active',
  'gate:completion': 'active',
  'run:completed': 'completed',
  'run:held': 'held',
  'run:failed': 'failed',
  'run:aborted': 'aborted',
};

/** Where a run stands that has not ended. */
export const openStatuses: readonly RunStatus[] = ['pending', 'active', 'waiting'];

/** Whether a run is at its end. */
export function isSettled(status: RunStatus): boolean {
  return !openStatuses.includes(status);
}

/** Whether an event is a step of its run, rather than something that happened beside it. */
export function isStep(type: EventName): boolean {
  return /^(?:run|turn|gate|approval|advisory):/.test(type);
}
