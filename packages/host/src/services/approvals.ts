import { createHash } from 'node:crypto';
import type { EventPayload } from 'patchbay-sdk';
import { PatchbayError } from 'patchbay-sdk';
import { type AnyPayload, isSettled, type LedgerStore, newEvent, type StoredEvent } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { toolDecision, trace } from './record.ts';
import type { ToolUser } from './turn-tools.ts';

type Requested = EventPayload<'approval:requested'>;
type Decided = EventPayload<'approval:decided'>;

/** A call that waits for a person. */
export interface PendingCall extends NonNullable<Requested['call']> {
  readonly approval_id: string;
  readonly requested_at: string;
  readonly expires_at: string;
  /** Why a person is asked. */
  readonly why: string;
}

/** What a person says of a call. */
export interface Decision {
  readonly decision: 'approved' | 'refused';
  readonly by: string;
  readonly comment: string | null;
}

/** A call that somebody is to decide on. */
export interface AskedCall {
  readonly tool: string;
  readonly request_id: string;
  readonly input_sha256: string;
  /** As people see it. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** A decision, and what it is good for. */
export interface Heeded extends Decision {
  readonly approval_id: string;
  /** Of the call that was asked about first: a crash may have come in between. */
  readonly request_id: string;
}

/** What approvals are kept with. */
export interface ApprovalParts {
  readonly ledger: LedgerStore;
  readonly emitter: Pick<Emitter, 'owes'>;
  readonly now: () => number;
  /** How long a person may take. */
  readonly approvalMs: number;
}

/** Nobody is given longer to decide: what waits can be found without reading everything. */
const longestMs = 7 * 24 * 60 * 60_000;
/** So many calls of a turn wait at a time; people could not tell them apart. */
const mostWaiting = 20;
/** Who decides where no person did. */
const host = 'patchbay';

/**
 * Asks people about calls. All of it is in the ledger: the request under its id, the decision as `ID.decided`, that it was heeded as
 * `ID.used`, each once. The id follows from attempt, tool, input and how often that was asked, so that an attempt that is worked on
 * again after a crash finds what it had asked.
 */
export class Approvals {
  readonly #parts: ApprovalParts;
  /** Calls that wait in this process. */
  readonly #waiting = new Map<string, () => void>();
  /** What attempts have asked: withdrawn when they are over. */
  readonly #asked = new Map<string, Set<string>>();

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  /** Takes up what was asked before this process was started. */
  async start(): Promise<void> {
    const { ledger, now } = this.#parts;
    for (const { approval_id, key } of await pendingCalls(ledger, now())) {
      const run = await ledger.run(key.split('/')[0] ?? '');
      if (run !== undefined && isSettled(run.status)) await this.#close(approval_id, 'the run is over');
      else this.#note(key, approval_id);
    }
  }

  /** Something was appended here. */
  heard(event: StoredEvent): void {
    const { type, run_id, turn_id } = event;
    // Only payloads that matter are looked at: each is parsed for whoever is the first to do so.
    if (type === 'approval:decided') this.#heardDecided(event.payload as EventPayload<'approval:decided'>);
    const isTurn = type === 'turn:submitted' || type === 'turn:failed';
    const isRun = type.startsWith('run:') && type !== 'run:started';
    if (!isTurn && !isRun) return;
    const start = isRun ? `${run_id}/` : `${run_id}/${turn_id}/${event.payload.attempt}`;
    for (const [key, ids] of this.#asked) {
      if (isRun ? !key.startsWith(start) : key !== start) continue;
      this.#asked.delete(key);
      for (const id of ids) this.#close(id, 'the turn is over').catch(() => undefined);
    }
  }

  #heardDecided({ call, approval_id }: EventPayload<'approval:decided'>): void {
    this.#asked.get(call?.key ?? '')?.delete(approval_id);
    this.#waiting.get(approval_id)?.();
  }

  /** Another process has appended something. */
  heardElsewhere(): void {
    for (const look of this.#waiting.values()) look();
  }

  /**
   * Waits until somebody has decided on a call, or nobody has in time. `waiting` hears what it waits for. Rejects when the signal is
   * aborted: what was asked is then still there for whoever asks the same in this attempt.
   */
  async ask(user: ToolUser, call: AskedCall, signal: AbortSignal, waiting?: (id: string) => void): Promise<Heeded> {
    for (let n = 0; ; n++) {
      const id = idOf(user.key, call, n);
      if (this.#waiting.has(id)) continue;
      this.#waiting.set(id, () => {});
      try {
        const heeded = await this.#askOnce(id, user, call, signal, waiting);
        if (heeded !== undefined) return heeded;
      } finally {
        this.#waiting.delete(id);
      }
    }
  }

  /** Writes down what somebody says of a call. Throws APPROVAL_INVALID if it does not wait, or not any more. */
  async decide(approval_id: string, decision: Decision): Promise<PendingCall> {
    const pending = await findPending(this.#parts.ledger, approval_id, this.#parts.now());
    if (typeof pending === 'string') throw new PatchbayError('APPROVAL_INVALID', pending);
    const { known } = await this.#decided(approval_id, decision);
    if (known) throw new PatchbayError('APPROVAL_INVALID', `${approval_id} is decided on already`);
    return pending;
  }

  /** Undefined if what there is under this id is of no use any more. */
  async #askOnce(
    id: string,
    user: ToolUser,
    call: AskedCall,
    signal: AbortSignal,
    waiting: ((id: string) => void) | undefined,
  ): Promise<Heeded | undefined> {
    const { ledger, now } = this.#parts;
    if ((await ledger.event(`${id}.used`)) !== undefined) return undefined;
    let asked = (await ledger.event(id))?.payload as Requested | undefined;
    if (asked === undefined) asked = await this.#request(id, user, call);
    else if (Date.parse(asked.expires_at ?? '') <= now()) return undefined;
    else this.#note(user.key, id);
    const decision = await this.#decision(id, Date.parse(asked.expires_at ?? ''), signal, () => waiting?.(id));
    // It may have been decided on elsewhere.
    this.#asked.get(user.key)?.delete(id);
    const request_id = asked.call?.request_id ?? call.request_id;
    const { known } = await trace(this.#parts, user, {
      event_id: `${id}.used`,
      type: toolDecision,
      summary: `${call.tool}: ${decision.decision} by ${decision.by}`,
      data: { tool: call.tool, request_id, approval_id: id, decision: decision.decision, by: decision.by },
    });
    return known ? undefined : { ...decision, approval_id: id, request_id };
  }

  async #request(id: string, user: ToolUser, call: AskedCall): Promise<Requested> {
    const { ledger, emitter, now, approvalMs } = this.#parts;
    const { tool, request_id, input_sha256, input, why } = call;
    const { key, workspace, chat_jid, role } = user;
    if ((this.#asked.get(key)?.size ?? 0) >= mostWaiting) {
      throw new Error(`${mostWaiting} calls of this turn wait for a person to decide already`);
    }
    this.#note(key, id);
    const at = now();
    // Not of the run: it goes on, and an approval would be a step of it.
    const payload = newEvent('approval:requested', {
      event_id: id,
      at: new Date(at).toISOString(),
      role,
      summary: `call of tool "${tool}"${workspace === null ? '' : ` in workspace ${workspace}`}`,
      approval_id: id,
      kind: 'tool',
      waiting_for: why,
      expires_at: new Date(at + Math.min(approvalMs, longestMs)).toISOString(),
      call: { tool, workspace, chat_jid, request_id, key, input_sha256, input: { ...input } },
    });
    await ledger.append(payload, emitter.owes('approval:requested'));
    return payload;
  }

  /** Waits for the decision; when it is not there in time, that is one. */
  async #decision(id: string, expires: number, signal: AbortSignal, waiting: () => void): Promise<Decision> {
    let isTold = false;
    for (;;) {
      signal.throwIfAborted();
      const news = Promise.withResolvers<void>();
      this.#waiting.set(id, news.resolve);
      const decided = (await this.#parts.ledger.event(`${id}.decided`))?.payload as Decided | undefined;
      if (decided !== undefined) {
        return { decision: decided.decision, by: decided.approver, comment: decided.comment };
      }
      // It was over while the ledger was asked.
      if (signal.aborted) continue;
      const left = expires - this.#parts.now();
      if (left <= 0) {
        await this.#close(id, 'nobody decided in time');
        continue;
      }
      if (!isTold) waiting();
      isTold = true;
      const timer = setTimeout(news.resolve, left);
      const stop = () => news.resolve();
      signal.addEventListener('abort', stop, { once: true });
      await news.promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  #close(id: string, why: string): Promise<unknown> {
    return this.#decided(id, { decision: 'refused', by: host, comment: why });
  }

  async #decided(id: string, { decision, by, comment }: Decision): Promise<{ known: boolean }> {
    const { ledger, emitter, now } = this.#parts;
    const asked = (await ledger.event(id))?.payload as Requested;
    const { approval_id, kind, waiting_for, expires_at, call, role } = asked;
    const payload = newEvent('approval:decided', {
      event_id: `${id}.decided`,
      at: new Date(now()).toISOString(),
      role,
      summary: `${by} ${decision} the ${asked.summary}`,
      ...{ approval_id, kind, waiting_for, expires_at, decision, approver: by, comment },
      ...(call === undefined ? {} : { call }),
    });
    return ledger.append(payload, emitter.owes('approval:decided'));
  }

  #note(key: string, id: string): void {
    this.#asked.set(key, (this.#asked.get(key) ?? new Set()).add(id));
  }
}

/** Short enough to type, and the same for the same question. */
function idOf(key: string, { tool, input_sha256 }: AskedCall, n: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([key, tool, input_sha256, n]))
    .digest('hex');
  return `tool-${digest.slice(0, 12)}`;
}

/** The calls that wait for a person, the oldest first. */
export async function pendingCalls(ledger: LedgerStore, now: number): Promise<readonly PendingCall[]> {
  const found: PendingCall[] = [];
  for await (const { payload } of ledger.events({ type: 'approval:requested', since: new Date(now - longestMs) })) {
    const pending = await pendingOf(ledger, payload, now);
    if (typeof pending !== 'string') found.push(pending);
  }
  return found;
}

/** The call that waits under an id, or why none does. */
export async function findPending(ledger: LedgerStore, id: string, now: number): Promise<PendingCall | string> {
  const payload = (await ledger.event(id))?.payload;
  return payload === undefined ? `no call of a tool waits as ${id}` : pendingOf(ledger, payload, now);
}

async function pendingOf(ledger: LedgerStore, payload: AnyPayload, now: number): Promise<PendingCall | string> {
  const { event_id: id } = payload;
  if (payload.event !== 'approval:requested' || payload.kind !== 'tool' || payload.call === undefined) {
    return `no call of a tool waits as ${id}`;
  }
  const expires_at = payload.expires_at ?? '';
  if ((await ledger.event(`${id}.decided`)) !== undefined) return `${id} is decided on already`;
  if (Date.parse(expires_at) <= now) return `${id} could be decided on until ${expires_at}`;
  return { ...payload.call, approval_id: id, requested_at: payload.at, expires_at, why: payload.waiting_for };
}
