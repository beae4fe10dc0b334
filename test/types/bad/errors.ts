import { type ErrorCode, errorCodes, PatchbayError } from 'patchbay-sdk';

export const code: ErrorCode = 'HOOK_MISSING'; // wrong: '"HOOK_MISSING"' is not assignable
export const error = new PatchbayError('PLUGIN_MISSING', 'gone'); // wrong: '"PLUGIN_MISSING"' is not assignable
export const blamed = new PatchbayError('PLUGIN_LOAD', 'gone', { pluggin: 'x' }); // wrong: Did you mean to write 'plugin'
export const row = errorCodes.HOOK_MISSING; // wrong: Property 'HOOK_MISSING' does not exist
