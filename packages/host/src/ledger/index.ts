export { type EventFields, newEvent } from './event.ts';
export { isSettled, type RunStatus } from './run-status.ts';
export { openLedger } from './sqlite/ledger.ts';
export type {
  AnyPayload,
  Appended,
  Delivery,
  DeliveryFilter,
  DeliveryStatus,
  EventFilter,
  Extent,
  Failing,
  LedgerNews,
  LedgerStore,
  Owed,
  RunRequest,
  RunRow,
  Settlement,
  StoredEvent,
  Verified,
} from './store.ts';
