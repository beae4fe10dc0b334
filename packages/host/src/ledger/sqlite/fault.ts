import { messageOf, PatchbayError } from 'patchbay-sdk';
import { ledgerMoved } from './moved.ts';

/** Primary result codes of SQLite, https://sqlite.org/rescode.html, that tell of the storage and not of one statement. */
const ofStorage = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 17, 22, 26]);
const corrupt = new Set([11, 26]);
/** A trigger has refused it. The only ones there are stand in a ledger that was moved. */
const byTrigger = 1811;

function resultOf(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}

/** The storage as a whole is at fault: trying another statement would not help. */
export function isStorageFault(error: unknown): boolean {
  return resultOf(error) !== 0 && ofStorage.has(resultOf(error));
}

/** An error of SQLite or of the file system under a name of ours; one that has such a name already stays as it is. */
export function fault(error: unknown, file: string, doing: string): PatchbayError {
  if (error instanceof PatchbayError) return error;
  if ((error as { errcode?: unknown } | null)?.errcode === byTrigger) return ledgerMoved(file, messageOf(error), error);
  if (corrupt.has(resultOf(error))) return corruption(file, messageOf(error), error);
  return new PatchbayError('LEDGER_WRITE', `the ledger ${file} could not be ${doing}: ${messageOf(error)}`, {
    file,
    cause: error,
  });
}

/** The file is not, or no longer, a ledger. */
export function corruption(file: string, what: string, cause?: unknown): PatchbayError {
  return new PatchbayError('LEDGER_CORRUPT', `the ledger ${file} cannot be read: ${what}`, {
    file,
    cause,
  });
}
