import type { EventName } from '../events.ts';

/** Before any agent runs on day N. */
export const BEFORE_DAY = 'BEFORE_DAY' as const;
/** After all agents have completed on day N, or the day was held or ended otherwise: once for each day that was begun. */
export const AFTER_DAY = 'AFTER_DAY' as const;
/** Before FORGE starts, once for each attempt. */
export const BEFORE_FORGE = 'BEFORE_FORGE' as const;
/** After FORGE has handed in its work. */
export const AFTER_FORGE = 'AFTER_FORGE' as const;
/** Before GATE looks at the acceptance criteria. */
export const BEFORE_GATE = 'BEFORE_GATE' as const;
/** After GATE has given its report. */
export const AFTER_GATE = 'AFTER_GATE' as const;
/** Before SENTINEL reviews security. */
export const BEFORE_SENTINEL = 'BEFORE_SENTINEL' as const;
/** After SENTINEL has given its report. */
export const AFTER_SENTINEL = 'AFTER_SENTINEL' as const;
/** Before CONDUIT reviews the pipeline. */
export const BEFORE_CONDUIT = 'BEFORE_CONDUIT' as const;
/** After CONDUIT has given its report. */
export const AFTER_CONDUIT = 'AFTER_CONDUIT' as const;

/** Of which events of the host one of PACE is a view. */
export interface PaceEventRow {
  readonly on: readonly EventName[];
  /** Only where this role is meant; null: of the run as a whole. */
  readonly role: string | null;
  /** Only if the report lets the day go on. */
  readonly passed: boolean;
  /** One of the names that PACE shipped, beside those of its document. */
  readonly shipped: boolean;
}

const ends = ['run:completed', 'run:held', 'run:failed', 'run:aborted'] as const;

function ofRun<const E extends readonly EventName[]>(on: E, shipped = false) {
  return { on, role: null, passed: false, shipped };
}
function before<const R extends string>(role: R) {
  return { on: ['turn:dispatched'], role, passed: false, shipped: false } as const;
}
function after<const R extends string>(role: R) {
  return { on: ['turn:submitted'], role, passed: false, shipped: false } as const;
}

/** The events of PACE: the ten of its document, then the names that it shipped. All of them are views of the host's. */
export const paceEvents = {
  BEFORE_DAY: ofRun(['run:started']),
  AFTER_DAY: ofRun(ends),
  BEFORE_FORGE: before('forge'),
  AFTER_FORGE: after('forge'),
  BEFORE_GATE: before('gate'),
  AFTER_GATE: after('gate'),
  BEFORE_SENTINEL: before('sentinel'),
  AFTER_SENTINEL: after('sentinel'),
  BEFORE_CONDUIT: before('conduit'),
  AFTER_CONDUIT: after('conduit'),
  pipeline_start: ofRun(['run:started'], true),
  day_start: ofRun(['run:started'], true),
  story_generated: { ...after('prime'), shipped: true },
  forge_complete: { ...after('forge'), shipped: true },
  gate_pass: { ...after('gate'), passed: true, shipped: true },
  sentinel_pass: { ...after('sentinel'), passed: true, shipped: true },
  conduit_pass: { ...after('conduit'), passed: true, shipped: true },
  day_shipped: ofRun(['run:completed'], true),
  day_held: ofRun(['run:held', 'run:failed'], true),
  pipeline_end: ofRun(ends, true),
} satisfies Record<string, PaceEventRow>;

/** The name of an event of PACE. */
export type PaceEvent = keyof typeof paceEvents;

/** Whether somebody fires an event of this name. */
export function isPaceEvent(name: unknown): name is PaceEvent {
  return typeof name === 'string' && Object.hasOwn(paceEvents, name);
}
