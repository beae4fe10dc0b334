import { PatchbayError } from 'patchbay-sdk';

/** A server cannot be used now. */
export function failed(message: string, cause?: unknown): PatchbayError {
  return new PatchbayError('MCP_FAILED', message, { cause });
}

/** Whether that is what is wrong, in words that name the server. */
export function isFailed(error: unknown): boolean {
  return error instanceof PatchbayError && error.code === 'MCP_FAILED';
}

/** There is no such server. */
export function unknownServer(message: string): PatchbayError {
  return new PatchbayError('MCP_UNKNOWN', message);
}
