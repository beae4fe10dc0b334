import { PatchbayError } from 'patchbay-sdk';
import { firstLine, registryError } from '../fetch/registry-answer.ts';

/** What a failure of npm's tree builder means; `one` is the dependency, undefined if it is about `all` of them. */
export function resolveError(cause: unknown, one: string | undefined, all: string): PatchbayError {
  const about = one ?? all;
  const { code } = (typeof cause === 'object' && cause !== null ? cause : {}) as { readonly code?: unknown };
  const invalid = (what: string) => new PatchbayError('SOURCE_INVALID', `${about}: ${what}`, { cause });
  switch (code) {
    case 'EALLOWGIT':
    case 'EALLOWREMOTE':
    case 'EALLOWFILE':
    case 'EALLOWDIRECTORY':
      return new PatchbayError('PACKAGE_UNSAFE', `${about}: it is no package of the registry`, { cause });
    case 'EBADPLATFORM':
      return invalid('it does not run on this system');
    case 'ERESOLVE':
      return invalid('what it needs contradicts what others need');
    case 'EOVERRIDE':
    case 'EMISSINGTARGET':
    case 'EINVALIDTAGNAME':
    case 'EINVALIDPACKAGENAME':
    case 'EUNSUPPORTEDPROTOCOL':
      return invalid(firstLine(cause));
    case undefined:
      // Nobody was asked for anything: what the plugin says makes no tree.
      return one === undefined ? invalid(firstLine(cause)) : registryError(cause, about);
    default:
      return registryError(cause, about);
  }
}
