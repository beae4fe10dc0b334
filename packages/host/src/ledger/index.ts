export { type EventFields, newEvent } from './event.ts';
export { type DatabaseHealth, openPostgresLedger, type PostgresOptions, probePostgres } from './postgres/open.ts';
export { isSettled, openStatuses, type RunStatus } from './run-status.ts';
export { openLedger } from './sqlite/ledger.ts';
export type {
  AnyPayload,
  Appended,
  AppendOptions,
  Delivery,
  DeliveryFilter,
  DeliveryStatus,
  Elsewhere,
  Ended,
  Endpoint,
  EventFilter,
  Extent,
  Failing,
  KeptRequest,
  LedgerNews,
  LedgerStore,
  Owed,
  RunFilter,
  RunRequest,
  RunRow,
  Sent,
  Settlement,
  StoredEvent,
  Verified,
} from './store.ts';
