import { messageOf, PatchbayError } from 'patchbay-sdk';

/** What keeps a run from going on, as an error that says so: the disk may be full, or a folder not writable. */
export function faultOf(error: unknown, run: string): unknown {
  if (error instanceof PatchbayError || (error as NodeJS.ErrnoException | null)?.syscall === undefined) return error;
  const message = `run ${run} cannot go on: ${messageOf(error)}`;
  return new PatchbayError('WORKSPACE_FAILED', message, { run, cause: error });
}
