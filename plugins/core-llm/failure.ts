import { APICallError, RetryError } from 'ai';
import { messageOf } from 'patchbay-sdk';
import type { Settings } from './settings.ts';

/** Says why the model could not be asked, in a sentence. Never throws. */
export function explain(error: unknown, { api_key_env }: Settings): string {
  const [last, tries] = RetryError.isInstance(error) ? [error.lastError, error.errors.length] : [error, 1];
  if (!APICallError.isInstance(last)) return messageOf(last);
  const who = URL.canParse(last.url) ? new URL(last.url).host : last.url;
  const often = tries > 1 ? ` ${tries} times` : '';
  if (last.statusCode === undefined) return `${who} could not be reached${often && `, tried${often}`}: ${last.message}`;
  const isAccess = last.statusCode === 401 || last.statusCode === 403;
  const hint = isAccess && api_key_env !== undefined ? `; is ${api_key_env} the right key?` : '';
  return `${who} answered ${last.statusCode}${often}: ${last.message}${hint}`;
}
