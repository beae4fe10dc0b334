import { type EventPayload, PatchbayError, type TurnCost } from 'patchbay-sdk';
import { type AnyPayload, isSettled, type RunRow } from '../ledger/index.ts';
import { type Abortion, abortedBy } from './aborted.ts';
import { Budget } from './budget.ts';
import { after, Course, type CourseParts } from './course.ts';
import { type Action, decide } from './decide.ts';
import { examine } from './examine.ts';
import { faultOf } from './fault.ts';
import { type Lacks, lacksNothing, sharedOut } from './labels.ts';
import { judgeGate, policy } from './policy.ts';
import { standIn } from './reviews.ts';
import { about, endOf, failureOf, pendingOf, rejectionOf, requestOf, resultOf } from './said.ts';
import { startOf } from './started.ts';
import type { RunState, Turn, TurnResult } from './state.ts';
import { summaryOf } from './summary.ts';
import type { Workshop } from './workshop.ts';

/** What the engine needs of the host. */
export interface EngineParts extends CourseParts {
  readonly workshop: Workshop;
  /** What this host lacks to play a role: such turns are left to others. @default nothing */
  readonly lacks?: Lacks;
}

type Dispatch = Extract<Action, { kind: 'dispatch' }>;

/** Why this host cannot end a run by itself. */
const isOthers: ReadonlySet<string> = new Set(['RUN_MOVED', 'RUN_UNKNOWN', 'RUN_ELSEWHERE']);

/**
 * Carries one run on, step by step, until it has ended or waits for somebody. Its state is that of its events: whatever
 * happens to this process, another one goes on from there.
 */
export class RunEngine {
  readonly #parts: EngineParts;
  readonly #run: string;
  readonly #abort = new AbortController();
  readonly #budget = new Budget();
  /** Ends the turns under way: the run has ended, or has used up what it may. */
  readonly #stop = AbortSignal.any([this.#abort.signal, this.#budget.signal]);
  readonly #busy = new Map<string, Promise<void>>();
  readonly #course: Course;
  #fault: unknown;

  constructor(run_id: string, parts: EngineParts) {
    this.#run = run_id;
    this.#parts = parts;
    this.#course = new Course(run_id, parts);
  }

  /**
   * Goes on until the run has ended, waits, or other hosts must go on with it. At `signal` it stops in good order; when the run is
   * `lost` to another host, nothing more is written. Throws what is wrong with the host, such as a ledger that cannot be written.
   */
  async advance(signal?: AbortSignal, lost?: AbortSignal): Promise<RunState> {
    const row = await this.#course.load(lost);
    const stop = () => this.#abort.abort();
    signal?.addEventListener('abort', stop);
    const unhear = this.#heed();
    try {
      if (!this.#course.hasBegun) await this.#begin(row);
      // A crash may have come before it was.
      else await this.#parts.workshop.publish(this.#course.now);
      await this.#loop(signal);
    } finally {
      unhear();
      signal?.removeEventListener('abort', stop);
      this.#abort.abort();
      await Promise.allSettled(this.#busy.values());
    }
    if (this.#fault !== undefined) throw faultOf(this.#fault, this.#run);
    // Whoever ended it, and also if a crash came right after that.
    if (isSettled(this.#course.now.status)) await this.#parts.workshop.close(this.#course.now);
    return this.#course.passedOn;
  }

  /** Ends the run between two of its steps; false if there is nothing to end, as it has not begun or is over. */
  async abort(why: Abortion): Promise<boolean> {
    try {
      await this.#course.stepAs(() => abortedBy(why, this.#course.now, this.#course.time));
    } catch (error) {
      if (error instanceof PatchbayError && isOthers.has(error.code)) return false;
      throw error;
    }
    this.#abort.abort();
    return true;
  }

  /** Looks again when somebody else has changed something: another process, or an abort in this one. */
  #heed(): () => void {
    const { ledger } = this.#parts;
    const look = () => void this.#look().catch((error) => this.#failed(error));
    const unhear = [
      ledger.on('elsewhere', (what) => {
        if (what?.runs.includes(this.#run) ?? true) look();
      }),
      ledger.on('appended', ({ event }) => {
        if (event.type === 'run:aborted' && event.run_id === this.#run) look();
      }),
    ];
    return () => {
      for (const undo of unhear) undo();
    };
  }

  async #loop(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (isSettled(this.#course.now.status)) this.#abort.abort();
      const isOver = signal?.aborted || this.#fault !== undefined || isSettled(this.#course.now.status);
      for (const action of isOver ? [] : this.#actions()) this.#start(action);
      if (this.#busy.size === 0) return;
      await Promise.race(this.#busy.values());
    }
  }

  #actions(): readonly Action[] {
    const { reason } = this.#budget;
    if (reason !== undefined) return [{ kind: 'hold', reason }];
    return this.#actionsIn(this.#course.passedOn).filter(({ kind }) => kind !== 'wait');
  }

  /** What this host would do next with a run that stands like that. */
  #actionsIn(state: RunState): readonly Action[] {
    return sharedOut(state, decide(state, this.#course.time), this.#parts.lacks ?? lacksNothing).here;
  }

  /** One action at a time for each step of the template, and for the run as a whole. */
  #start(action: Action): void {
    const place = 'step' in action ? action.step.id : 'turn' in action ? action.turn.step : 'run';
    if (this.#busy.has(place) || (place === 'run' && this.#busy.size > 0)) return;
    this.#occupy(place, this.#perform(action));
  }

  #occupy(place: string, doing: Promise<void>): void {
    const { head } = this.#course;
    const done = doing.catch((error) => this.#failed(error, head)).finally(() => this.#busy.delete(place));
    this.#busy.set(place, done);
  }

  /**
   * Somebody else moved the run: look again. So it is with a step that has become impossible since the run stood at `head`. A refusal holds
   * it. Everything else is a fault of the host.
   */
  async #failed(error: unknown, head?: number): Promise<void> {
    if (this.#abort.signal.aborted) return;
    const code = error instanceof PatchbayError ? error.code : undefined;
    const isMoved = code === 'RUN_MOVED' || (code === 'RUN_TRANSITION' && this.#course.head !== head);
    if (isMoved) await this.#look();
    else if (error instanceof PatchbayError && error.code === 'HOOK_REFUSED')
      await this.#hold(error.message).catch((fault) => this.#failed(fault));
    else this.#fault = error;
  }

  async #look(): Promise<void> {
    await this.#course.look();
    if (isSettled(this.#course.now.status)) this.#abort.abort();
  }

  async #begin(row: RunRow): Promise<void> {
    await this.#course.step(startOf(row, this.#course.time)).catch((error) => this.#failed(error));
  }

  async #perform(action: Action): Promise<void> {
    switch (action.kind) {
      case 'ask':
        await this.#course.step(this.#course.now.asking as EventPayload<'gate:pending'>, true);
        return;
      case 'dispatch':
        return this.#dispatch(action);
      case 'work': {
        const dispatch = await this.#course.step<'turn:dispatched'>(action.turn.dispatch, true);
        return this.#work({ ...action.turn, dispatch });
      }
      case 'advise': {
        const { turn, advisory } = action;
        const { id: advisory_id, text } = advisory;
        await this.#course.say('advisory:recorded', {
          ...about(turn),
          summary: text,
          by: turn.role,
          advisory: text,
          advisory_id,
        });
        return;
      }
      case 'stand-in': {
        const role = this.#course.now.template.roles[action.turn.role];
        return role === undefined ? undefined : this.#submit(action.turn, standIn(role, action.turn));
      }
      case 'accept':
        return this.#accept(action.turn);
      case 'reject': {
        const { turn, by, reason, errors, next } = action;
        await this.#course.say('turn:rejected', rejectionOf(turn, by, reason, errors, next));
        return;
      }
      case 'announce':
        await this.#course.say('gate:pending', pendingOf(this.#course.now, action.gate, action.phase));
        return;
      case 'examine':
        return this.#examine(action);
      case 'open':
        return this.#open(action);
      case 'complete':
        await this.#end('run:completed');
        return;
      case 'hold':
        return this.#hold(action.reason);
      case 'wait':
        return;
    }
  }

  async #dispatch(action: Dispatch): Promise<void> {
    const said = await this.#prepared(action, this.#course.now);
    await this.#dispatched(action, await this.#course.say('turn:dispatched', said));
  }

  /** Has the bundle of a turn made, in a run that stands like that, and gives what is said of it. */
  async #prepared({ step, role, attempt, turn_id, reviews }: Dispatch, state: RunState) {
    const plan = { state, step, role, attempt, turn_id, reviews };
    const { adapter, bundle } = await this.#parts.workshop.prepare(plan);
    const said = { turn_id, role, attempt, step: step.id, reviews: reviews?.turn_id ?? null, adapter, bundle };
    return { ...said, summary: `${role}, attempt ${attempt}` };
  }

  /** Has a turn worked on that was dispatched like that: as those left it who may rewrite it. */
  async #dispatched({ turn_id }: Dispatch, dispatch: EventPayload<'turn:dispatched'>): Promise<void> {
    const turn = this.#course.now.turns.find((one) => one.turn_id === turn_id);
    if (turn !== undefined) await this.#work({ ...turn, dispatch });
  }

  async #work(turn: Turn): Promise<void> {
    const ended = this.#budget.begin(turn, this.#course.now, this.#course.time);
    const spent = (cost: TurnCost) => this.#budget.spent(turn.turn_id, cost, this.#course.now, this.#course.time);
    const end = await this.#parts.workshop.work(this.#course.now, turn, this.#stop, spent).finally(ended);
    if (this.#abort.signal.aborted && end.result === null) return;
    if (end.result !== null) return this.#submit(turn, end.result);
    await this.#course.say('turn:failed', failureOf(turn, end, this.#budget.reason));
  }

  async #submit(turn: Turn, result: TurnResult): Promise<void> {
    await this.#course.say('turn:submitted', resultOf(turn, result));
    await this.#parts.workshop.publish(this.#course.now);
  }

  async #accept(turn: Turn): Promise<void> {
    const collides = turn.reviews === null ? await this.#parts.workshop.keep(this.#course.now, turn) : [];
    if (collides.length > 0) return this.#collided(turn, collides);
    const accepted = this.#course.event('turn:accepted', resultOf(turn, turn.result as TurnResult));
    const next = await this.#following(accepted);
    if (next === undefined) return void (await this.#course.step(accepted));
    const dispatch = await this.#course.steps(() => [accepted, next.dispatch]);
    const work = this.#dispatched(next.action, dispatch as EventPayload<'turn:dispatched'>);
    const place = next.action.step.id;
    return place === turn.step ? work : this.#occupy(place, work);
  }

  /**
   * The turn that follows from a step, if nothing else does and nothing else is under way: the two are written down together. Whatever is
   * wrong with it shows when it is dispatched by itself.
   */
  async #following(
    step: AnyPayload,
  ): Promise<{ readonly action: Dispatch; readonly dispatch: EventPayload<'turn:dispatched'> } | undefined> {
    if (this.#busy.size > 1 || this.#stop.aborted) return undefined;
    try {
      const state = after(this.#course.now, step);
      const [action, ...others] = this.#actionsIn(state);
      if (action?.kind !== 'dispatch' || others.length > 0) return undefined;
      return { action, dispatch: this.#course.event('turn:dispatched', await this.#prepared(action, state), state) };
    } catch {
      return undefined;
    }
  }

  async #collided(turn: Turn, files: readonly string[]): Promise<void> {
    const reason = `it collides with the work of others in ${files.join(', ')}`;
    const next = turn.attempt < this.#course.now.template.limits.attempts ? turn.attempt + 1 : null;
    await this.#course.say('turn:rejected', rejectionOf(turn, 'host', reason, [], next));
  }

  async #examine({ gate, phase }: Extract<Action, { kind: 'examine' }>): Promise<void> {
    const problems = await examine(this.#course.now, gate, phase, await this.#parts.workshop.folder(this.#course.now));
    if (problems.length > 0) return this.#hold(`gate "${gate.name}" does not hold: ${problems.join('; ')}`);
    const judged = judgeGate(this.#course.now, gate, phase);
    if (judged.opens) return this.#open({ kind: 'open', gate, phase, by: policy, comment: judged.comment });
    await this.#course.say(
      'approval:requested',
      requestOf(this.#course.now, gate, phase, judged.because, this.#course.time),
    );
  }

  async #open({ gate, phase, by, comment }: Extract<Action, { kind: 'open' }>): Promise<void> {
    const approved = { gate: gate.name, approver: by, comment, summary: `${by} opened gate "${gate.name}"` };
    if (phase.next !== null) {
      await this.#course.say('gate:transition', { ...approved, from_phase: phase.name, to_phase: phase.next });
      return;
    }
    const run_summary = summaryOf(this.#course.now, this.#course.time.toISOString());
    await this.#course.say('gate:completion', { ...approved, run_summary });
  }

  async #hold(reason: string): Promise<void> {
    await this.#end('run:held', reason);
  }

  async #end(type: 'run:completed' | 'run:held' | 'run:failed', reason?: string): Promise<void> {
    await this.#course.say(type, endOf(this.#course.now, reason, this.#course.time));
  }
}
