import type { ToolTrait } from 'patchbay-sdk';
import { type LedgerStore, newEvent, type StoredEvent } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import type { ToolSource } from './tool.ts';
import type { ToolUser } from './turn-tools.ts';

/** What is written down of a call, as the data of an `agent:trace` of the type `tool_use`. */
export interface CallRecord {
  readonly tool: string;
  readonly request_id: string;
  readonly source: ToolSource;
  readonly workspace: string | null;
  /** `allowed` by policy, `approved` by a person, or `refused` by either. */
  readonly decision: 'allowed' | 'approved' | 'refused';
  /** By what, or by whom. */
  readonly by: string;
  readonly approval_id: string | null;
  /** Whether it came to a result. */
  readonly ok: boolean;
  readonly error: string | null;
  readonly traits: readonly ToolTrait[];
  readonly ms: number;
  readonly input_sha256: string;
  /** The beginning of it, as JSON. */
  readonly input: string;
}

/** The type of the trace that tells of a call. */
export const toolUse = 'tool_use';
/** The type of the trace that tells that a decision was heeded, by a call and never again. */
export const toolDecision = 'tool_decision';

/** What calls are written down with. */
export interface Recording {
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly emitter: Pick<Emitter, 'owes'>;
}

/** Writes a trace of a turn down. Gives its event, and whether there was one of that id. */
export function trace(
  { ledger, emitter }: Recording,
  { run_id, turn_id, role, chat_jid }: ToolUser,
  traced: { readonly type: string; readonly data: object; readonly summary: string; readonly event_id?: string },
): Promise<{ readonly event: StoredEvent; readonly known: boolean }> {
  const { type, data, summary, event_id } = traced;
  const payload = newEvent('agent:trace', {
    ...(event_id === undefined ? {} : { event_id }),
    run_id,
    turn_id,
    role,
    summary,
    chat_jid: chat_jid ?? '',
    trace_type: type,
    data: { ...data },
  });
  return ledger.append(payload, emitter.owes('agent:trace'));
}

/** The call that an event tells of; undefined if it tells of something else. */
export function callIn({ payload }: StoredEvent): CallRecord | undefined {
  if (payload.event !== 'agent:trace' || payload.trace_type !== toolUse) return undefined;
  return payload.data as unknown as CallRecord;
}
