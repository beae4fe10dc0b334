import type { EventName } from 'patchbay-sdk';
import type { RunStatus } from '../ledger/index.ts';

/** Which steps a run can take in each status. A run that has ended takes none. */
export const transitions: { readonly [S in RunStatus]: readonly EventName[] } = {
  pending: ['run:started', 'run:aborted'],
  active: [
    'turn:dispatched',
    'turn:submitted',
    'turn:accepted',
    'turn:rejected',
    'turn:failed',
    'advisory:recorded',
    'gate:pending',
    'gate:transition',
    'gate:completion',
    'approval:requested',
    'run:completed',
    'run:held',
    'run:failed',
    'run:aborted',
  ],
  waiting: ['approval:decided', 'gate:transition', 'gate:completion', 'run:held', 'run:failed', 'run:aborted'],
  held: [],
  completed: [],
  failed: [],
  aborted: [],
};
