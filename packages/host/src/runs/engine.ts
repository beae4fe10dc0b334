import { type EventName, type EventPayload, PatchbayError, type TurnCost } from 'patchbay-sdk';
import {
  type AnyPayload,
  type EventFields,
  isSettled,
  type LedgerStore,
  newEvent,
  type RunRow,
} from '../ledger/index.ts';
import type { Emitted, Emitter } from '../outbound/emitter.ts';
import { type Abortion, abortedBy } from './aborted.ts';
import { Budget } from './budget.ts';
import { timeAfter } from './clock.ts';
import { type Action, decide } from './decide.ts';
import { examine } from './examine.ts';
import { faultOf } from './fault.ts';
import { type Lacks, lacksNothing, sharedOut } from './labels.ts';
import { judgeGate, policy } from './policy.ts';
import { standIn } from './reviews.ts';
import { about, endOf, failureOf, pendingOf, rejectionOf, requestOf, resultOf } from './said.ts';
import { startOf, type Wanted } from './started.ts';
import { apply, fold, type RunState, type Turn, type TurnResult, unbegun } from './state.ts';
import { summaryOf } from './summary.ts';
import type { Workshop } from './workshop.ts';

/** What the engine needs of the host. */
export interface EngineParts {
  readonly ledger: LedgerStore;
  readonly emitter: Emitter;
  readonly workshop: Workshop;
  /** What this host lacks to play a role: such turns are left to others. @default nothing */
  readonly lacks?: Lacks;
  readonly now?: () => Date;
}

/** Writes down that a run is wanted; whoever is the host of the project carries it out. */
export async function requestRun(ledger: LedgerStore, wanted: Wanted): Promise<void> {
  const { template, ...rest } = wanted;
  await ledger.requestRun({ ...rest, template: template.name, snapshot: template });
}

/** The state of a run, from its events; undefined if it has none yet. Throws RUN_UNKNOWN. */
export async function loadRun(
  ledger: LedgerStore,
  run_id: string,
): Promise<{ row: RunRow; state: RunState | undefined }> {
  const row = await ledger.run(run_id);
  if (row === undefined) throw new PatchbayError('RUN_UNKNOWN', `there is no run ${run_id}`, { run: run_id });
  const steps = [];
  for await (const event of ledger.events({ run: run_id })) {
    if (/^(?:run|turn|gate|approval|advisory):/.test(event.type)) steps.push(event);
  }
  // One that was ended before it began has no other step.
  if (steps[0]?.type === 'run:aborted') return { row, state: apply(unbegun(row), steps[0]) };
  return { row, state: fold(steps) };
}

type Dispatch = Extract<Action, { kind: 'dispatch' }>;

/** What there is to say in a step, but for what every event of a run carries. */
type Said<E extends EventName> = Omit<EventFields<E>, 'run_id' | 'template' | 'goal'>;

/** How a run stands after a step that is not written yet. Throws RUN_TRANSITION. */
function after(state: RunState | undefined, payload: AnyPayload): RunState {
  return apply(state, { seq: (state?.head ?? 0) + 1, type: payload.event, payload });
}

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
  /** Steps that all have let pass, in this process. */
  readonly #passed = new Set<string>();
  #state: RunState | undefined;
  #lost: AbortSignal | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #fault: unknown;

  constructor(run_id: string, parts: EngineParts) {
    this.#run = run_id;
    this.#parts = parts;
  }

  /**
   * Goes on until the run has ended, waits, or other hosts must go on with it. At `signal` it stops in good order; when the run is
   * `lost` to another host, nothing more is written. Throws what is wrong with the host, such as a ledger that cannot be written.
   */
  async advance(signal?: AbortSignal, lost?: AbortSignal): Promise<RunState> {
    this.#lost = lost;
    const { row, state } = await loadRun(this.#parts.ledger, this.#run);
    this.#state = state;
    const stop = () => this.#abort.abort();
    signal?.addEventListener('abort', stop);
    const unhear = this.#heed();
    try {
      if (this.#state === undefined) await this.#begin(row);
      // A crash may have come before it was.
      else await this.#parts.workshop.publish(this.#state);
      await this.#loop(signal);
    } finally {
      unhear();
      signal?.removeEventListener('abort', stop);
      this.#abort.abort();
      await Promise.allSettled(this.#busy.values());
    }
    if (this.#fault !== undefined) throw faultOf(this.#fault, this.#run);
    // Whoever ended it, and also if a crash came right after that.
    if (isSettled(this.#now.status)) await this.#parts.workshop.close(this.#now);
    return this.#passedOn;
  }

  /** Ends the run between two of its steps; false if there is nothing to end, as it has not begun or is over. */
  async abort(why: Abortion): Promise<boolean> {
    try {
      await this.#stepAs(() => abortedBy(why, this.#now, this.#time));
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

  /** The time, as far as the run is concerned. */
  get #time(): Date {
    return timeAfter(this.#state?.at, this.#parts.now?.());
  }

  get #now(): RunState {
    if (this.#state === undefined) throw new PatchbayError('RUN_UNKNOWN', `run ${this.#run} has not begun`);
    return this.#state;
  }

  /** How the run stands for those who know that its last step was let pass. */
  get #passedOn(): RunState {
    const state = this.#now;
    const isPassed = state.asking !== null && this.#passed.has(state.asking.event_id);
    return isPassed ? { ...state, asking: null } : state;
  }

  async #loop(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (isSettled(this.#now.status)) this.#abort.abort();
      const isOver = signal?.aborted || this.#fault !== undefined || isSettled(this.#now.status);
      for (const action of isOver ? [] : this.#actions()) this.#start(action);
      if (this.#busy.size === 0) return;
      await Promise.race(this.#busy.values());
    }
  }

  #actions(): readonly Action[] {
    const { reason } = this.#budget;
    if (reason !== undefined) return [{ kind: 'hold', reason }];
    return this.#actionsIn(this.#passedOn).filter(({ kind }) => kind !== 'wait');
  }

  /** What this host would do next with a run that stands like that. */
  #actionsIn(state: RunState): readonly Action[] {
    return sharedOut(state, decide(state, this.#time), this.#parts.lacks ?? lacksNothing).here;
  }

  /** One action at a time for each step of the template, and for the run as a whole. */
  #start(action: Action): void {
    const place = 'step' in action ? action.step.id : 'turn' in action ? action.turn.step : 'run';
    if (this.#busy.has(place) || (place === 'run' && this.#busy.size > 0)) return;
    this.#occupy(place, this.#perform(action));
  }

  #occupy(place: string, doing: Promise<void>): void {
    const head = this.#state?.head;
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
    const isMoved = code === 'RUN_MOVED' || (code === 'RUN_TRANSITION' && this.#state?.head !== head);
    if (isMoved) await this.#look();
    else if (error instanceof PatchbayError && error.code === 'HOOK_REFUSED')
      await this.#hold(error.message).catch((fault) => this.#failed(fault));
    else this.#fault = error;
  }

  async #look(): Promise<void> {
    await this.#writing;
    const { state } = await loadRun(this.#parts.ledger, this.#run);
    if (state !== undefined && state.head > (this.#state?.head ?? 0)) this.#state = state;
    if (isSettled(this.#now.status)) this.#abort.abort();
  }

  /** Makes the next step of the run: written down only if nobody else has made one meanwhile. */
  #step<E extends EventName>(payload: EventPayload<E>, isAgain = false): Promise<EventPayload<E>> {
    return this.#stepAs(() => payload, isAgain);
  }

  /** A step that is made up when its turn has come. */
  #stepAs<E extends EventName>(make: () => EventPayload<E>, isAgain = false): Promise<EventPayload<E>> {
    return this.#steps(() => [make()], isAgain) as Promise<EventPayload<E>>;
  }

  /**
   * Steps of which each follows from the one before, written down together; those who may refuse the last one are asked. Unless it is made
   * once more, a step must be possible now: who decided on it may have known less than has been seen since.
   */
  #steps(make: () => readonly AnyPayload[], isAgain = false): Promise<AnyPayload> {
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
          after: payloads[i - 1]?.event_id ?? this.#state?.head ?? 0,
          appended: (event) => {
            // Whoever looked meanwhile, as others had written something, has seen it already.
            if (event.seq > (this.#state?.head ?? 0)) this.#state = apply(this.#state, event);
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
  #say<E extends EventName>(type: E, fields: Said<E>): Promise<EventPayload<E>> {
    return this.#step(this.#event(type, fields));
  }

  /** A step that the run makes when it stands like that. */
  #event<E extends EventName>(type: E, fields: Said<E>, state = this.#now): EventPayload<E> {
    const { goal, template, phase } = state;
    const at = timeAfter(state.at, this.#parts.now?.()).toISOString();
    const common = { at, run_id: this.#run, template: template.name, goal, phase: phase === '' ? null : phase };
    return newEvent(type, { ...common, ...fields } as unknown as EventFields<E>);
  }

  async #begin(row: RunRow): Promise<void> {
    await this.#step(startOf(row, this.#time)).catch((error) => this.#failed(error));
  }

  async #perform(action: Action): Promise<void> {
    switch (action.kind) {
      case 'ask':
        await this.#step(this.#now.asking as EventPayload<'gate:pending'>, true);
        return;
      case 'dispatch':
        return this.#dispatch(action);
      case 'work': {
        const dispatch = await this.#step<'turn:dispatched'>(action.turn.dispatch, true);
        return this.#work({ ...action.turn, dispatch });
      }
      case 'advise': {
        const { turn, advisory } = action;
        const { id: advisory_id, text } = advisory;
        await this.#say('advisory:recorded', {
          ...about(turn),
          summary: text,
          by: turn.role,
          advisory: text,
          advisory_id,
        });
        return;
      }
      case 'stand-in': {
        const role = this.#now.template.roles[action.turn.role];
        return role === undefined ? undefined : this.#submit(action.turn, standIn(role, action.turn));
      }
      case 'accept':
        return this.#accept(action.turn);
      case 'reject': {
        const { turn, by, reason, errors, next } = action;
        await this.#say('turn:rejected', rejectionOf(turn, by, reason, errors, next));
        return;
      }
      case 'announce':
        await this.#say('gate:pending', pendingOf(this.#now, action.gate, action.phase));
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
    const said = await this.#prepared(action, this.#now);
    await this.#dispatched(action, await this.#say('turn:dispatched', said));
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
    const turn = this.#now.turns.find((one) => one.turn_id === turn_id);
    if (turn !== undefined) await this.#work({ ...turn, dispatch });
  }

  async #work(turn: Turn): Promise<void> {
    const ended = this.#budget.begin(turn, this.#now, this.#time);
    const spent = (cost: TurnCost) => this.#budget.spent(turn.turn_id, cost, this.#now, this.#time);
    const end = await this.#parts.workshop.work(this.#now, turn, this.#stop, spent).finally(ended);
    if (this.#abort.signal.aborted && end.result === null) return;
    if (end.result !== null) return this.#submit(turn, end.result);
    await this.#say('turn:failed', failureOf(turn, end, this.#budget.reason));
  }

  async #submit(turn: Turn, result: TurnResult): Promise<void> {
    await this.#say('turn:submitted', resultOf(turn, result));
    await this.#parts.workshop.publish(this.#now);
  }

  async #accept(turn: Turn): Promise<void> {
    const collides = turn.reviews === null ? await this.#parts.workshop.keep(this.#now, turn) : [];
    if (collides.length > 0) return this.#collided(turn, collides);
    const accepted = this.#event('turn:accepted', resultOf(turn, turn.result as TurnResult));
    const next = await this.#following(accepted);
    if (next === undefined) return void (await this.#step(accepted));
    const dispatch = await this.#steps(() => [accepted, next.dispatch]);
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
      const state = after(this.#now, step);
      const [action, ...others] = this.#actionsIn(state);
      if (action?.kind !== 'dispatch' || others.length > 0) return undefined;
      return { action, dispatch: this.#event('turn:dispatched', await this.#prepared(action, state), state) };
    } catch {
      return undefined;
    }
  }

  async #collided(turn: Turn, files: readonly string[]): Promise<void> {
    const reason = `it collides with the work of others in ${files.join(', ')}`;
    const next = turn.attempt < this.#now.template.limits.attempts ? turn.attempt + 1 : null;
    await this.#say('turn:rejected', rejectionOf(turn, 'host', reason, [], next));
  }

  async #examine({ gate, phase }: Extract<Action, { kind: 'examine' }>): Promise<void> {
    const problems = await examine(this.#now, gate, phase, await this.#parts.workshop.folder(this.#now));
    if (problems.length > 0) return this.#hold(`gate "${gate.name}" does not hold: ${problems.join('; ')}`);
    const judged = judgeGate(this.#now, gate, phase);
    if (judged.opens) return this.#open({ kind: 'open', gate, phase, by: policy, comment: judged.comment });
    await this.#say('approval:requested', requestOf(this.#now, gate, phase, judged.because, this.#time));
  }

  async #open({ gate, phase, by, comment }: Extract<Action, { kind: 'open' }>): Promise<void> {
    const approved = { gate: gate.name, approver: by, comment, summary: `${by} opened gate "${gate.name}"` };
    if (phase.next !== null) {
      await this.#say('gate:transition', { ...approved, from_phase: phase.name, to_phase: phase.next });
      return;
    }
    const run_summary = summaryOf(this.#now, this.#time.toISOString());
    await this.#say('gate:completion', { ...approved, run_summary });
  }

  async #hold(reason: string): Promise<void> {
    await this.#end('run:held', reason);
  }

  async #end(type: 'run:completed' | 'run:held' | 'run:failed', reason?: string): Promise<void> {
    await this.#say(type, endOf(this.#now, reason, this.#time));
  }
}
