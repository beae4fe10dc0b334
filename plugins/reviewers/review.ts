/** What a reviewer says about a piece of work: it may go out, it must be done again, or it may with a concern. */
export type Decision = 'SHIP' | 'HOLD' | 'ADVISORY';

/** What came of a command. */
export interface CommandOutcome {
  readonly exit_code: number;
  /** Standard output and standard error as they came. */
  readonly output: string;
}

/** What whoever did the work says about having checked it. */
export interface Verification {
  readonly status: 'pass' | 'fail' | 'skipped';
  readonly commands: readonly string[];
  readonly machine_evidence: readonly { readonly command: string; readonly exit_code: number }[];
}

/** What a reviewer is given. */
export interface ReviewInput {
  /** The folder to look at. Links in it are not followed. */
  readonly workspace: string;
  /**
   * Paths of the files that the work changed, relative to the workspace. What is wrong elsewhere weighs one degree less:
   * it was there before. Empty: everything counts as changed.
   */
  readonly base: readonly string[];
  /** Acceptance criteria, in words. */
  readonly criteria: readonly string[];
  readonly verification: Verification;
  /**
   * The story card. `out_of_scope` and `deferred` are read: what is deferred is listed, not judged; and `cleared`: lesser
   * concerns, as they were told before, that are not to be raised again.
   */
  readonly story?: Readonly<Record<string, unknown>>;
  /** The handoff note: `known_gaps` is read. */
  readonly handoff?: Readonly<Record<string, unknown>>;
  /** Runs a command in the workspace; without it nothing is run, and the report says so. */
  readonly run?: (command: string) => Promise<CommandOutcome>;
  /**
   * How long the review may take.
   *
   * @default 300000
   */
  readonly time_limit_ms?: number;
}

/** How one acceptance criterion fares. */
export interface CriterionResult {
  readonly criterion: string;
  readonly result: 'PASS' | 'FAIL' | 'PARTIAL';
  readonly evidence: string;
}

/** What `gate` reports. */
export interface GateReport {
  readonly criteria_results: readonly CriterionResult[];
  readonly blockers: readonly string[];
  /** What the story puts off and what the handoff leaves open. */
  readonly deferred: readonly string[];
  readonly gate_decision: Decision;
  /** Empty unless held, or let pass with a concern. */
  readonly hold_reason: string;
}

/** What a check came to; its evidence begins with `file:line` if it is about a place. */
export interface Finding {
  readonly check: string;
  readonly result: 'PASS' | 'FAIL' | 'ADVISORY';
  readonly evidence: string;
}

/** What `sentinel` and `conduit` report besides their decision. */
export interface FindingsReport {
  /** One for each concern, and one PASS for each check that has none. */
  readonly findings: readonly Finding[];
  readonly advisories: readonly string[];
  readonly blockers: readonly string[];
  /** Empty unless held. */
  readonly hold_reason: string;
}

/** When a review that begins now must have ended, in the time of `performance.now()`. */
export function deadlineOf({ time_limit_ms: limit = 300_000 }: ReviewInput): number {
  return performance.now() + limit;
}
