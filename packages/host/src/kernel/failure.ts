import { type ErrorCode, messageOf, PatchbayError } from 'patchbay-sdk';
import type { Call } from './call.ts';
import type { Entry } from './entry.ts';

/** What the kernel itself finds wrong with a handler. Private to the kernel: no handler can throw one. */
export class Fault {
  readonly #ours = true;
  readonly code: ErrorCode;
  readonly message: string;
  /** Whether the breaker counts it. A refusal is an answer, and a paused handler was not even called. */
  readonly counts: boolean;

  constructor(code: ErrorCode, message: string, counts = true) {
    this.code = code;
    this.message = message;
    this.counts = counts;
  }

  /** Unlike instanceof, asks no proxy for its prototype. */
  static is(thrown: unknown): thrown is Fault {
    return typeof thrown === 'object' && thrown !== null && #ours in thrown;
  }
}

/** The error under which a failure of a handler is known: who, where, in which run, and what. */
export function blame(entry: Entry, thrown: unknown, payload: unknown, call: Call | undefined): PatchbayError {
  const who = { plugin: entry.plugin, hook: entry.hook, handler: entry.id, run: runOf(payload, call) };
  const where = `plugin "${entry.plugin}" in hook "${entry.hook}"`;
  if (Fault.is(thrown)) return new PatchbayError(thrown.code, `${where} ${thrown.message}`, who);
  return new PatchbayError('HANDLER_FAILED', `${where} failed: ${messageOf(thrown)}`, { ...who, cause: thrown });
}

/** The refusal that a failure, or a verdict, of a closed handler comes to. */
export function refusal(failure: PatchbayError, run: string | undefined): PatchbayError {
  const { plugin, hook, handler, message } = failure;
  const text = failure.code === 'HOOK_REFUSED' ? message : `hook "${hook}" is refused: ${message}`;
  return new PatchbayError('HOOK_REFUSED', text, { plugin, hook, handler, run, cause: failure });
}

/** The run that a call is about: as the caller says, or as the payload does. */
export function runOf(payload: unknown, call: Call | undefined): string | undefined {
  if (call?.run !== undefined) return call.run;
  try {
    const named = (payload as { run_id?: unknown } | null | undefined)?.run_id;
    return typeof named === 'string' ? named : undefined;
  } catch {
    return undefined;
  }
}
