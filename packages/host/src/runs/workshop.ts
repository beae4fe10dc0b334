import type { EventPayload, TurnCost } from 'patchbay-sdk';
import type { RunState, Turn, TurnResult } from './state.ts';
import type { Step } from './template/template.ts';

/** A turn that is about to be dispatched. */
export interface Plan {
  readonly state: RunState;
  readonly step: Step;
  readonly role: string;
  readonly attempt: number;
  readonly turn_id: string;
  readonly reviews: Turn | null;
}

/** What became of a turn: its result, or why there is none. */
export interface TurnEnd {
  readonly result: TurnResult | null;
  readonly error: EventPayload<'turn:failed'>['error'] | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
  /** What it has cost, if there is no result to say so and anything is known. */
  readonly cost?: TurnCost;
}

/** Where turns are worked on: the effects of a run, apart from its events. Everything may be repeated after a crash. */
export interface Workshop {
  /** Makes the sealed bundle of a turn. */
  prepare(plan: Plan): Promise<Pick<EventPayload<'turn:dispatched'>, 'adapter' | 'bundle'>>;
  /**
   * Has the core work on a turn, unless its result is there already, and checks what it says against what it did. Tells `spent`
   * what the attempt has cost so far, whenever that is more.
   */
  work(state: RunState, turn: Turn, signal: AbortSignal, spent: (cost: TurnCost) => void): Promise<TurnEnd>;
  /** Makes the work of an accepted turn part of the run's; gives the files in which it collides with others' work, if so. */
  keep(state: RunState, turn: Turn): Promise<readonly string[]>;
  /** Writes down for people what the turns have handed in by now. Never rejects: nothing depends on it. */
  publish(state: RunState): Promise<void>;
  /** The folder in which the work of the run is. */
  folder(state: RunState): Promise<string>;
  /** The run has ended: what only it needed goes. */
  close(state: RunState): Promise<void>;
}
