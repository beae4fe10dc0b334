import { type EventPayload, PatchbayError, type TurnCost } from 'patchbay-sdk';
import type { DocumentName, Report } from '../day/documents.ts';
import type { RunRow, RunStatus, StoredEvent } from '../ledger/index.ts';
import { timeAfter } from './clock.ts';
import { free, plus } from './cost.ts';
import { type Template, upToDate } from './template/template.ts';
import { transitions } from './transitions.ts';

/** The result of a turn. */
export type TurnResult = EventPayload<'turn:submitted'>['result'];

/** Where a turn stands, in its last attempt. */
export type TurnState = 'dispatched' | 'submitted' | 'accepted' | 'rejected' | 'failed';

/** A turn, in its last attempt. */
export interface Turn {
  readonly turn_id: string;
  readonly role: string;
  readonly phase: string;
  /** The step of the template. */
  readonly step: string;
  /** The turn and its attempt that it judges, if it does. */
  readonly reviews: { readonly turn_id: string; readonly attempt: number } | null;
  readonly attempt: number;
  readonly state: TurnState;
  readonly result: TurnResult | null;
  /** Why the attempt was not good enough: what the next one is told. */
  readonly feedback: readonly string[];
  /** How it was dispatched: told again, under the same id, if a crash came before it was worked on. */
  readonly dispatch: EventPayload<'turn:dispatched'>;
}

/** A gate that the run stands at. */
export interface StandingGate {
  readonly name: string;
  readonly phase: string;
  /** The approval that was asked for; null while the gate was only announced. */
  readonly approval: { readonly id: string; readonly expires_at: string | null } | null;
  readonly votes: readonly {
    readonly by: string;
    readonly decision: 'approved' | 'refused';
    readonly comment: string | null;
    /** Whether they proved who they are. */
    readonly proven: boolean;
  }[];
}

/** What somebody had to say against the work. */
export type Objection = TurnResult['objections'][number] & {
  readonly by: string;
  /** The turn that was rejected for it, if one was. */
  readonly about: string | null;
  /** Not any more when the turn it is about is accepted. */
  readonly open: boolean;
};

/** A document as a turn handed it in. */
export interface Submitted extends Pick<Turn, 'turn_id' | 'role' | 'attempt'> {
  readonly report: Report;
}

/** What a run takes over from the one that it resumes. */
export interface Carried {
  readonly decisions: TurnResult['decisions'];
  /** Those that were open. */
  readonly objections: readonly Objection[];
  /** What was changed by work that was accepted: it begins with that. */
  readonly files: readonly string[];
  readonly documents?: RunState['documents'];
  /** Why it was held. */
  readonly held_for?: string | null;
}

/** A run, as its events tell it. */
export interface RunState {
  readonly run_id: string;
  readonly goal: string;
  readonly template: Template;
  /** Who asked for it. */
  readonly started_by: string;
  readonly resumes: string | null;
  /** Why the run that it resumes was held; null if it resumes none. */
  readonly held_for: string | null;
  /** What it was told when it was asked for, by name. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The run whose work it begins with, if that is not checked out. */
  readonly builds_on: string | null;
  readonly status: RunStatus;
  readonly phase: string;
  readonly phases: readonly { readonly name: string; readonly started_at: string; readonly ended_at: string | null }[];
  readonly turns: readonly Turn[];
  readonly gate: StandingGate | null;
  readonly gates: readonly { readonly name: string; readonly state: 'pending' | 'open' | 'refused' }[];
  readonly decisions: TurnResult['decisions'];
  readonly objections: readonly Objection[];
  /** The files that accepted work has changed, that of the runs it resumes included. */
  readonly files: readonly string[];
  /** The last document of each kind that was handed in. */
  readonly documents: { readonly [D in DocumentName]?: Submitted };
  readonly advisories: readonly string[];
  /** Concerns that have been recorded: the turn that raised it, and what it is known by. */
  readonly advised: readonly string[];
  readonly cost: TurnCost;
  readonly started_at: string;
  readonly reason: string | null;
  /** The place of its last step. */
  readonly head: number;
  /** When its last step was. */
  readonly at: string;
  /** Its last step, if that may be refused: a crash may have come before all had let it pass. */
  readonly asking: EventPayload<'run:started'> | EventPayload<'gate:pending'> | null;
}

type Step = Pick<StoredEvent, 'seq' | 'type' | 'payload'>;

/** Nothing has happened yet. */
const blank = {
  turns: [],
  gate: null,
  gates: [],
  decisions: [],
  objections: [],
  files: [],
  advisories: [],
  documents: {},
  advised: [],
  held_for: null,
  cost: free,
  reason: null,
} satisfies Partial<RunState>;

/** The state of a run after these events, all of them in order; undefined before its first. Throws RUN_TRANSITION. */
export function fold(events: Iterable<Step>): RunState | undefined {
  let state: RunState | undefined;
  for (const event of events) state = apply(state, event);
  return state;
}

/** The state after one more event. Throws RUN_TRANSITION if that cannot have happened to it. */
export function apply(state: RunState | undefined, { seq, type, payload }: Step): RunState {
  if (state === undefined) {
    if (payload.event === 'run:started') return begun(payload, seq);
    throw new PatchbayError('RUN_TRANSITION', `a run cannot begin with ${type}`, { run: payload.run_id ?? undefined });
  }
  if (!transitions[state.status].includes(type)) throw impossible(state, type, 'not in this state');
  const next = { ...state, head: seq, at: timeAfter(state.at, new Date(payload.at)).toISOString(), asking: null };
  switch (payload.event) {
    case 'turn:dispatched':
      return { ...next, turns: dispatched(state, payload) };
    case 'turn:submitted':
      return {
        // A review that failed may be stood in for.
        ...changed(next, payload, ['dispatched', 'failed'], { state: 'submitted', result: payload.result }),
        documents: withDocument(state, payload),
        cost: plus(state.cost, payload.result.cost),
      };
    case 'turn:accepted':
      return accepted(changed(next, payload, ['submitted'], { state: 'accepted' }), payload);
    case 'turn:rejected': {
      const feedback = [payload.reason, ...payload.errors];
      return changed(next, payload, ['dispatched', 'submitted'], { state: 'rejected', feedback });
    }
    case 'turn:failed':
      return {
        ...changed(next, payload, ['dispatched'], { state: 'failed', feedback: payload.error.message.split('\n') }),
        cost: plus(state.cost, payload.cost ?? free),
      };
    case 'advisory:recorded':
      return {
        ...next,
        advisories: [...state.advisories, payload.advisory],
        advised: [...state.advised, advisedAs(payload.turn_id ?? '', payload.advisory_id ?? '')],
      };
    case 'gate:pending': {
      const gate = { name: payload.gate, phase: payload.from_phase ?? state.phase, approval: null, votes: [] };
      return { ...next, gate, gates: [...state.gates, { name: payload.gate, state: 'pending' }], asking: payload };
    }
    case 'approval:requested': {
      const gate = standing(state, type);
      const approval = { id: payload.approval_id, expires_at: payload.expires_at };
      return { ...next, status: 'waiting', gate: { ...gate, approval } };
    }
    case 'approval:decided': {
      const gate = standing(state, type);
      const { approver: by, decision, comment, proof } = payload;
      const vote = { by, decision, comment, proven: proof !== undefined };
      const voted = { ...next, gate: { ...gate, votes: [...gate.votes, vote] } };
      return vote.decision === 'refused' ? marked(voted, gate.name, 'refused') : voted;
    }
    case 'gate:transition':
      return entered(opened(next, standing(state, type).name), payload.to_phase, payload.at);
    case 'gate:completion':
      return entered(opened(next, standing(state, type).name), null, payload.at);
    case 'run:completed':
      return { ...next, status: 'completed' };
    case 'run:held':
      return { ...next, status: 'held', reason: payload.reason ?? null };
    case 'run:failed':
      return { ...next, status: 'failed', reason: payload.reason ?? null };
    case 'run:aborted':
      return { ...next, status: 'aborted', reason: payload.reason ?? null };
    default:
      throw impossible(state, type, 'is no step of a run that has begun');
  }
}

/** What a run is told of itself in `run:started`, besides what people read there. */
export interface RunConfig {
  readonly template: Template;
  readonly started_by: string;
  /** The phase to begin with, if not the first. */
  readonly from_phase?: string;
  readonly inputs?: RunState['inputs'];
  readonly builds_on?: string;
  /** Of the run that it resumes, if it does. */
  readonly carried?: Carried;
  /** The objections of that run which do not stand any more, by the word of whoever started this one. */
  readonly overruled?: readonly string[];
}

/** The state of a run that was only asked for. */
export function unbegun({ run_id, goal, request, created_at }: RunRow): RunState {
  const { snapshot, by, resumes, inputs, builds_on } = request as unknown as {
    snapshot: Template;
    by: string;
    resumes?: string;
  } & Pick<RunConfig, 'inputs' | 'builds_on'>;
  return {
    run_id,
    goal: goal ?? '',
    template: upToDate(snapshot),
    started_by: by,
    resumes: resumes ?? null,
    inputs: inputs ?? {},
    builds_on: builds_on ?? null,
    status: 'pending',
    phase: '',
    phases: [],
    ...blank,
    started_at: created_at,
    head: 0,
    at: created_at,
    asking: null,
  };
}

function begun(payload: EventPayload<'run:started'>, seq: number): RunState {
  const config = payload.config_summary as unknown as RunConfig;
  const { template, started_by, from_phase, inputs, builds_on, carried } = config;
  const phase = from_phase ?? template.phases[0]?.name ?? '';
  return {
    run_id: payload.run_id ?? '',
    goal: payload.goal ?? '',
    template: upToDate(template),
    started_by,
    resumes: payload.resumes ?? null,
    inputs: inputs ?? {},
    builds_on: builds_on ?? null,
    status: 'active',
    phase,
    phases: [{ name: phase, started_at: payload.at, ended_at: null }],
    ...blank,
    ...carried,
    started_at: payload.at,
    head: seq,
    at: payload.at,
    asking: payload,
  };
}

/** What stands in `advised` for a concern. */
export function advisedAs(turn_id: string, advisory_id: string): string {
  return `${turn_id} ${advisory_id}`;
}

function withDocument(
  { documents, template }: RunState,
  { turn_id, role, attempt, result }: EventPayload<'turn:submitted'>,
): RunState['documents'] {
  const name = template.roles[role ?? '']?.report ?? null;
  const { report } = result;
  if (name === null || report === undefined || report === null) return documents;
  return { ...documents, [name]: { turn_id: turn_id ?? '', role: role ?? '', attempt: attempt ?? 1, report } };
}

function dispatched(state: RunState, payload: EventPayload<'turn:dispatched'>): Turn[] {
  const { turn_id, role, phase, step } = payload;
  const attempt = payload.attempt ?? 1;
  const before = state.turns.find((turn) => turn.turn_id === turn_id);
  if (before !== undefined && before.state !== 'rejected' && before.state !== 'failed') {
    throw impossible(state, 'turn:dispatched', `turn ${turn_id} is ${before.state}`);
  }
  const reviewed = state.turns.find((turn) => turn.turn_id === payload.reviews);
  const turn: Turn = {
    turn_id: turn_id ?? '',
    role: role ?? '',
    phase: phase ?? '',
    step,
    reviews: reviewed === undefined ? null : { turn_id: reviewed.turn_id, attempt: reviewed.attempt },
    attempt,
    state: 'dispatched',
    result: null,
    feedback: before?.feedback ?? [],
    dispatch: payload,
  };
  return [...state.turns.filter((one) => one !== before), turn];
}

function changed(
  state: RunState,
  payload: { readonly event: string; readonly turn_id: string | null; readonly attempt: number | null },
  from: readonly TurnState[],
  change: Partial<Turn>,
): RunState {
  const { event, turn_id, attempt } = payload;
  const turn = state.turns.find((one) => one.turn_id === turn_id);
  if (turn === undefined) throw impossible(state, event, `there is no turn ${turn_id}`);
  if (turn.attempt !== attempt) throw impossible(state, event, `turn ${turn_id} is at attempt ${turn.attempt}`);
  if (!from.includes(turn.state)) throw impossible(state, event, `turn ${turn_id} is ${turn.state}`);
  return { ...state, turns: state.turns.map((one) => (one === turn ? { ...turn, ...change } : one)) };
}

function accepted(state: RunState, { result, role, turn_id }: EventPayload<'turn:accepted'>): RunState {
  const known = new Set(state.decisions.map(({ statement }) => statement));
  const { reviews } = state.turns.find((turn) => turn.turn_id === turn_id) as Turn;
  const raised = {
    by: `${role}, ${turn_id}`,
    about: result.status === 'rejected' ? (reviews?.turn_id ?? null) : null,
    open: true,
  };
  const before = state.objections.map((one) => (one.about === turn_id ? { ...one, open: false } : one));
  return {
    ...state,
    decisions: [...state.decisions, ...result.decisions.filter(({ statement }) => !known.has(statement))],
    objections: [...before, ...result.objections.map((objection) => ({ ...objection, ...raised }))],
    files: reviews === null ? [...new Set([...state.files, ...result.files_changed])] : state.files,
  };
}

function standing(state: RunState, event: string): StandingGate {
  if (state.gate === null) throw impossible(state, event, 'it stands at no gate');
  return state.gate;
}

function opened(state: RunState, name: string): RunState {
  return { ...marked(state, name, 'open'), status: 'active', gate: null };
}

function marked(state: RunState, name: string, as: 'open' | 'refused'): RunState {
  return { ...state, gates: state.gates.map((gate) => (gate.name === name ? { ...gate, state: as } : gate)) };
}

function entered(state: RunState, phase: string | null, at: string): RunState {
  const phases = state.phases.map((one) => (one.ended_at === null ? { ...one, ended_at: at } : one));
  if (phase === null) return { ...state, phase: '', phases };
  return { ...state, phase, phases: [...phases, { name: phase, started_at: at, ended_at: null }] };
}

function impossible(state: RunState, event: string, because: string): PatchbayError {
  const message = `run ${state.run_id} is ${state.status} in phase "${state.phase}": ${event} cannot happen, ${because}`;
  return new PatchbayError('RUN_TRANSITION', message, { run: state.run_id });
}
