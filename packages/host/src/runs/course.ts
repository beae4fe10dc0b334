import { type EventName, type EventPayload, PatchbayError } from 'patchbay-sdk';
import {
  type AnyPayload,
  type EventFields,
  isSettled,
  type LedgerStore,
  newEvent,
  type RunRow,
} from '../ledger/index.ts';
import type { Emitted, Emitter } from '../outbound/emitter.ts';
import { timeAfter } from './clock.ts';
import { loadRun } from './load.ts';
import { apply, type RunState } from './state.ts';

/** What the course of a run needs of the host. */
export interface CourseParts {
  readonly ledger: LedgerStore;
  readonly emitter: Emitter;
  readonly now?: () => Date;
}

/** What there is to say in a step, but for what every event of a run carries. */
export type Said<E extends EventName> = Omit<EventFields<E>, 'run_id' | 'template' | 'goal'>;

/** How a run stands after a step that is not written yet. Throws RUN_TRANSITION. */
export function after(state: RunState | undefined, payload: AnyPayload): RunState {
  return apply(state, { seq: (state?.head ?? 0) + 1, type: payload.event, payload });
}

/** The steps of one run, as far as this process knows them, and how the next ones are written down. */
export class Course {
  readonly #parts: CourseParts;
  readonly #run: string;
  /** Steps that all have let pass, in this process. */
  readonly #passed = new Set<string>();
  #state: RunState | undefined;
  #lost: AbortSignal | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(run_id: string, parts: CourseParts) {
    this.#run = run_id;
    this.#parts = parts;
  }

  /** Reads how the run stands. When it is `lost` to another host, nothing more is written. Throws RUN_UNKNOWN. */
  async load(lost?: AbortSignal): Promise<RunRow> {
    this.#lost = lost;
    const { row, state } = await loadRun(this.#parts.ledger, this.#run);
    this.#state = state;
    return row;
  }

  /** Reads how it stands now, when all is written that was asked for. */
  async look(): Promise<void> {
    await this.#writing;
    const { state } = await loadRun(this.#parts.ledger, this.#run);
    if (state !== undefined && state.head > this.head) this.#state = state;
  }

  /** Whether it has begun. */
  get hasBegun(): boolean {
    return this.#state !== undefined;
  }

  /** The place of its last step; 0 before the first. */
  get head(): number {
    return this.#state?.head ?? 0;
  }

  /** The time, as far as the run is concerned. */
  get time(): Date {
    return timeAfter(this.#state?.at, this.#parts.now?.());
  }

  /** How it stands. Throws RUN_UNKNOWN if it has not begun. */
  get now(): RunState {
    if (this.#state === undefined) throw new PatchbayError('RUN_UNKNOWN', `run ${this.#run} has not begun`);
    return this.#state;
  }

  /** How the run stands for those who know that its last step was let pass. */
  get passedOn(): RunState {
    const state = this.now;
    const isPassed = state.asking !== null && this.#passed.has(state.asking.event_id);
    return isPassed ? { ...state, asking: null } : state;
  }

  /** Makes the next step of the run: written down only if nobody else has made one meanwhile. */
  step<E extends EventName>(payload: EventPayload<E>, isAgain = false): Promise<EventPayload<E>> {
    return this.stepAs(() => payload, isAgain);
  }

  /** A step that is made up when its turn has come. */
  stepAs<E extends EventName>(make: () => EventPayload<E>, isAgain = false): Promise<EventPayload<E>> {
    return this.steps(() => [make()], isAgain) as Promise<EventPayload<E>>;
  }

  /**
   * Steps of which each follows from the one before, written down together; those who may refuse the last one are asked. Unless it is made
   * once more, a step must be possible now: who decided on it may have known less than has been seen since.
   */
  steps(make: () => readonly AnyPayload[], isAgain = false): Promise<AnyPayload> {
    const { promise: written, resolve, reject } = Promise.withResolvers<void>();
    const emitted = this.#writing.then(async () => {
      if (this.#lost?.aborted)
        throw new PatchbayError('RUN_ELSEWHERE', `run ${this.#run} is carried on by another host`, { run: this.#run });
      // The others of a parallel group may still have something to say when one of them has the run held.
      if (this.#state !== undefined && isSettled(this.#state.status))
        throw new PatchbayError('RUN_MOVED', `run ${this.#run} is ${this.#state.status}`, { run: this.#run });
      const payloads = make();
      if (!isAgain) payloads.reduce(after, this.#state);
      const all = payloads.map((payload, i) =>
        this.#parts.emitter.emit(payload, {
          after: payloads[i - 1]?.event_id ?? this.head,
          appended: (event) => {
            // Whoever looked meanwhile, as others had written something, has seen it already.
            if (event.seq > this.head) this.#state = apply(this.#state, event);
            if (i === payloads.length - 1) resolve();
          },
        }),
      );
      return (await Promise.all(all)).at(-1) as Emitted;
    });
    emitted.catch(reject);
    this.#writing = written.catch(() => {});
    return emitted.then(({ event, payload: passed }) => {
      this.#passed.add(event.id);
      return passed;
    });
  }

  /** A new step, with what every event of the run carries. */
  say<E extends EventName>(type: E, fields: Said<E>): Promise<EventPayload<E>> {
    return this.step(this.event(type, fields));
  }

  /** A step that the run makes when it stands like that. */
  event<E extends EventName>(type: E, fields: Said<E>, state = this.now): EventPayload<E> {
    const { goal, template, phase } = state;
    const at = timeAfter(state.at, this.#parts.now?.()).toISOString();
    const common = { at, run_id: this.#run, template: template.name, goal, phase: phase === '' ? null : phase };
    return newEvent(type, { ...common, ...fields } as unknown as EventFields<E>);
  }
}
