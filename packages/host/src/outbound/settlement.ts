import { messageOf, type PatchbayError, type Verdict } from 'patchbay-sdk';
import type { Settlement } from '../ledger/index.ts';
import type { Edition } from './emitter.ts';
import type { Outcome } from './outcome.ts';
import { keepRequest } from './sending/request.ts';
import { noRights } from './sending/rights.ts';
import type { Seal } from './sending/seal.ts';
import { outcomeBehind } from './told.ts';

/** What a handler says is kept up to this length, in characters. */
const mostText = 4096;
const mostAnnotations = 64 * 1024;

/** What came of calling one handler. */
export interface Handled {
  readonly answer: unknown;
  readonly failure: PatchbayError | undefined;
  /** The refusal of the whole call, if it was this handler's verdict. */
  readonly refusal: PatchbayError | undefined;
  readonly durationMs: number;
}

/** What the ledger is told of a delivery: how it ended or what it has sent, with what must not be seen taken out. */
export function settlementOf(handled: Handled, { hide, rights }: Pick<Edition, 'hide' | 'rights'>): Settlement {
  const { message, annotations, ...rest } = withRequest(settle(handled), handled.answer, (rights ?? noRights).seal);
  return { ...rest, message: cut(hide(message ?? null)), annotations: bounded(hide(annotations ?? null)) };
}

function cut(text: string | null): string | null {
  return text !== null && text.length > mostText ? `${text.slice(0, mostText)}…` : text;
}

type Annotations = Readonly<Record<string, unknown>> | null;

function bounded(annotations: Annotations): Annotations {
  if (annotations === null || JSON.stringify(annotations).length <= mostAnnotations) return annotations;
  return { left_out: `more than ${mostAnnotations} characters` };
}

function settle({ answer, failure, refusal, durationMs }: Handled): Settlement {
  const duration_ms = Math.round(durationMs * 1000) / 1000;
  if (failure !== undefined) {
    const outcome = outcomeBehind(failure.cause);
    const verdict = outcome?.verdict ?? 'fail';
    const message = outcome?.message ?? failure.message;
    return { ...detailsOf(outcome), status: 'failed', verdict, message, duration_ms };
  }
  const { verdict, message, annotations } = spoken(answer);
  const said = { message: message ?? null, annotations: annotations ?? null, duration_ms };
  if (refusal !== undefined) {
    return { ...detailsOf(outcomeBehind(answer)), ...said, status: 'refused', verdict: 'block' };
  }
  const status = verdict === 'warn' ? 'warn' : 'ok';
  return { ...detailsOf(outcomeBehind(answer)), ...said, status, verdict: verdict ?? null };
}

/** With the request that the handler asks for: it may if it lets things pass. */
function withRequest(settlement: Settlement, answer: unknown, seal: Seal): Settlement {
  const { send } = spoken(answer);
  const { status, verdict } = settlement;
  if (send === undefined || (status !== 'ok' && status !== 'warn') || verdict === 'block') return settlement;
  try {
    return { ...settlement, status: 'sending', attempts: 0, request: keepRequest(send, seal) };
  } catch (error) {
    return { ...settlement, status: 'failed', verdict: 'fail', message: messageOf(error) };
  }
}

/** A verdict, if the handler answered one; observers may answer anything. */
function spoken(answer: unknown): Partial<Verdict> {
  return typeof answer === 'object' && answer !== null && 'verdict' in answer ? (answer as Partial<Verdict>) : {};
}

function detailsOf(
  outcome: Outcome | undefined,
): Partial<Pick<Settlement, 'attempts' | 'exit_code' | 'signal' | 'http_status' | 'annotations'>> {
  if (outcome === undefined) return {};
  const { attempts, exit_code, signal, http_status, annotations } = outcome;
  return { attempts, exit_code, signal, http_status, annotations };
}
