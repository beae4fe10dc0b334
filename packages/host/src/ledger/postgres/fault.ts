import { messageOf, PatchbayError } from 'patchbay-sdk';
import { DatabaseError } from 'pg';

/**
 * Classes of https://www.postgresql.org/docs/current/errcodes-appendix.html that tell of the server and not of one statement:
 * connection, resources, operator's intervention, system, internal. And of other classes: it can only be read, it has thrown
 * this session out.
 */
const ofStorage = new Set(['08', '53', '57', '58', 'XX', '25006', '25P03']);
/** A statement was cancelled, which is nobody's fault but its own. */
const cancelled = '57014';
const corrupt = new Set(['XX001', 'XX002']);
const undone = new Set(['40001', '40P01']);

/** The code of an error that the server has told; undefined if it is not from the server. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** The server as a whole is at fault, or cannot be reached: trying another statement would not help. */
export function isStorageFault(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return true;
  return state !== cancelled && (ofStorage.has(state) || ofStorage.has(state.slice(0, 2)));
}

/** The transaction was undone because it and another one waited for each other: it may be tried again. */
export function isUndone(error: unknown): boolean {
  return undone.has(stateOf(error) ?? '');
}

/** An error of the server, or of the way to it, under a name of ours; one that has such a name already stays as it is. */
export function fault(error: unknown, shown: string, doing: string): PatchbayError {
  if (error instanceof PatchbayError) return error;
  if (corrupt.has(stateOf(error) ?? '')) return corruption(shown, messageOf(error), error);
  return new PatchbayError('LEDGER_WRITE', `the ledger in ${shown} could not be ${doing}: ${said(error)}`, {
    cause: error,
  });
}

/** The database does not hold, or no longer, a ledger. */
export function corruption(shown: string, what: string, cause?: unknown): PatchbayError {
  return new PatchbayError('LEDGER_CORRUPT', `the ledger in ${shown} cannot be read: ${what}`, { cause });
}

/** What an error says. One of several addresses that were tried has no message of its own. */
export function said(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return messageOf(error);
}
