export { type EventFields, newEvent } from './event.ts';
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
  Settlement,
  StoredEvent,
  Verified,
} from './store.ts';
