import type { PatchbayError } from 'patchbay-sdk';
import type { Settlement } from '../ledger/index.ts';
import type { Outcome } from './outcome.ts';
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

/** How a delivery ended, as the ledger keeps it, with what must not be seen taken out. */
export function settlementOf(handled: Handled, hide: <T>(value: T) => T): Settlement {
  const { message, annotations, ...rest } = settle(handled);
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

/** A verdict, if the handler answered one; observers may answer anything. */
function spoken(answer: unknown): Partial<Pick<Outcome, 'verdict' | 'message' | 'annotations'>> {
  return typeof answer === 'object' && answer !== null && 'verdict' in answer ? (answer as Partial<Outcome>) : {};
}

function detailsOf(
  outcome: Outcome | undefined,
): Partial<Pick<Settlement, 'attempts' | 'exit_code' | 'signal' | 'http_status' | 'annotations'>> {
  if (outcome === undefined) return {};
  const { attempts, exit_code, signal, http_status, annotations } = outcome;
  return { attempts, exit_code, signal, http_status, annotations };
}
