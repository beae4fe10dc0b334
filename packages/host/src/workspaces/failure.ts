import { PatchbayError } from 'patchbay-sdk';

/** Something could not be done in a workspace; the message says what and why. */
export function workspaceFailed(message: string, blame: { file?: string; hint?: string; cause?: unknown } = {}) {
  const hint = 'See the cause; the work so far is still in the folder it names.';
  return new PatchbayError('WORKSPACE_FAILED', message, { hint, ...blame });
}

/** A run would begin without what is not committed. */
export function workspaceDirty(message: string, file: string, hint: string): PatchbayError {
  return new PatchbayError('WORKSPACE_DIRTY', message, { file, hint });
}
