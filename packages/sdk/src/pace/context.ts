import type { PaceEvent } from './events.ts';

/** What PRIME hands in. */
export interface StoryCard {
  readonly story_id?: string;
  readonly title: string;
  readonly story: string;
  readonly acceptance_criteria: readonly string[];
  readonly out_of_scope?: readonly string[];
  readonly deferred?: readonly string[];
}

/** What FORGE hands in. */
export interface Handoff {
  readonly summary: string;
  readonly files_changed: readonly string[];
  readonly tests_added?: readonly string[];
  readonly notes: string;
  readonly iterations?: number;
}

/** What GATE hands in. */
export interface GateReport {
  readonly criteria_results: readonly {
    readonly criterion: string;
    readonly result: 'PASS' | 'FAIL' | 'PARTIAL';
    readonly evidence: string;
  }[];
  readonly blockers: readonly string[];
  readonly deferred: readonly string[];
  readonly gate_decision: 'SHIP' | 'HOLD' | 'ADVISORY';
  /** Empty if there is none. */
  readonly hold_reason: string;
}

interface Review {
  readonly findings: readonly { readonly check: string; readonly result: string; readonly evidence: string }[];
  readonly advisories: readonly string[];
  readonly blockers: readonly string[];
  /** Empty if there is none. */
  readonly hold_reason: string;
}
/** What SENTINEL hands in. */
export interface SentinelReport extends Review {
  readonly sentinel_decision: 'SHIP' | 'HOLD' | 'ADVISORY';
}
/** What CONDUIT hands in. */
export interface ConduitReport extends Review {
  readonly conduit_decision: 'SHIP' | 'HOLD' | 'ADVISORY';
}

/** The documents of a day. */
export interface PaceDocuments {
  readonly story_card: StoryCard;
  readonly handoff: Handoff;
  readonly gate_report: GateReport;
  readonly sentinel_report: SentinelReport;
  readonly conduit_report: ConduitReport;
}

type Any = keyof PaceDocuments;
type Built = 'story_card' | 'handoff';
type Gated = Built | 'gate_report';
type Secured = Gated | 'sentinel_report';

/**
 * The documents that are there at each event, and those that may be: after a HOLD, FORGE is told the reports that sent it
 * back, and a day that is begun anew has those of the day before it.
 */
interface Present {
  BEFORE_DAY: { there: never; perhaps: Any };
  AFTER_DAY: { there: never; perhaps: Any };
  BEFORE_FORGE: { there: 'story_card'; perhaps: Any };
  AFTER_FORGE: { there: Built; perhaps: never };
  BEFORE_GATE: { there: Built; perhaps: never };
  AFTER_GATE: { there: Gated; perhaps: never };
  BEFORE_SENTINEL: { there: Gated; perhaps: never };
  AFTER_SENTINEL: { there: Secured; perhaps: never };
  BEFORE_CONDUIT: { there: Secured; perhaps: never };
  AFTER_CONDUIT: { there: Any; perhaps: never };
  pipeline_start: Present['BEFORE_DAY'];
  day_start: Present['BEFORE_DAY'];
  story_generated: { there: 'story_card'; perhaps: never };
  forge_complete: Present['AFTER_FORGE'];
  gate_pass: Present['AFTER_GATE'];
  sentinel_pass: Present['AFTER_SENTINEL'];
  conduit_pass: Present['AFTER_CONDUIT'];
  day_shipped: { there: Any; perhaps: never };
  day_held: Present['AFTER_DAY'];
  pipeline_end: Present['AFTER_DAY'];
}

/** The last events of a day, and what they say that it came to. */
interface Decided {
  AFTER_DAY: 'SHIP' | 'HOLD';
  day_shipped: 'SHIP';
  day_held: 'HOLD';
  pipeline_end: 'SHIP' | 'HOLD';
}

interface Common<E extends PaceEvent> {
  readonly event: E;
  readonly run_id: string;
  /** The day of the plan; null for a run that is none. */
  readonly day: number | null;
  /** The attempt of FORGE that it is about; 1 before there is one. */
  readonly attempt: number;
  /** Null before PRIME has written the story. */
  readonly story_title: string | null;
  /** Why the day, or the last attempt, is on HOLD; null if it is not. */
  readonly hold_reason: string | null;
}

type One<E extends PaceEvent> = Common<E> &
  Pick<PaceDocuments, Present[E]['there']> &
  Partial<Pick<PaceDocuments, Exclude<Present[E]['perhaps'], Present[E]['there']>>> &
  (E extends keyof Decided ? { readonly day_decision: Decided[E] } : unknown);

/** What a plugin is told at event `E`; of several events, told apart by `event`. Plain JSON, frozen all the way down. */
export type PaceContext<E extends PaceEvent = PaceEvent> = E extends PaceEvent ? One<E> : never;
