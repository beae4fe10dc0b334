import type { EventName, EventPayload } from 'patchbay-sdk';
import type { Delivery } from '../../packages/host/src/ledger/index.ts';
import type { NeighbourKind } from './neighbour.ts';
import type { Package } from './package.ts';

/** Where a hostile plugin does its work. */
export interface Ground {
  readonly project: string;
  /** Digits that only this run has: `sleep 600.DIGITS` shows whose it is, and ends some day whatever happens. */
  readonly digits: string;
}

/** What a check is told when the run is over. */
export interface Aftermath extends Ground {
  /** The deliveries of the hostile plugin. */
  readonly deliveries: readonly Delivery[];
}

/** One hostile plugin, and what must become of it. */
export interface Hostile {
  /** Completes "a plugin that …". */
  readonly does: string;
  make(name: string, ground: Ground): Package | Promise<Package>;
  /**
   * How its deliveries of accepted turns end: `failed` until the breaker has had enough; `settled` where it is for the
   * plugin to say how. None where it is never installed, or quarantined.
   */
  readonly accepted: 'failed' | 'ok' | 'settled' | 'none';
  /** What is said of each that failed, or why it is quarantined. */
  readonly says?: RegExp;
  /** The events that it keeps from happening. @default none */
  readonly refuses?: readonly EventName[];
  /** @default each kind in its turn */
  readonly neighbour?: NeighbourKind;
  /** Of accepted turns. */
  readonly fields?: Partial<EventPayload<'turn:accepted'>>;
  /** `namespace`: what it does cannot be undone where there are none. */
  readonly needs?: 'namespace';
  check?(aftermath: Aftermath): void | Promise<void>;
}
