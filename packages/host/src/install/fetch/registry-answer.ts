import { messageOf, PatchbayError } from 'patchbay-sdk';
import semver from 'semver';
import { withoutSecrets } from './git-url.ts';

interface RegistryFailure {
  readonly code?: unknown;
  readonly versions?: unknown;
  readonly distTags?: unknown;
  readonly wanted?: unknown;
}

/** What a failure of pacote means to somebody who wants a package; `asked` is what they asked for. */
export function registryError(cause: unknown, asked: string): PatchbayError {
  const failure = (typeof cause === 'object' && cause !== null ? cause : {}) as RegistryFailure;
  const problem = (code: 'SOURCE_INVALID' | 'SOURCE_UNAVAILABLE' | 'PACKAGE_UNSAFE', what: string, hint?: string) =>
    new PatchbayError(code, `${asked}: ${what}`, { cause, ...(hint === undefined ? {} : { hint }) });
  switch (failure.code) {
    case 'E404':
      return problem('SOURCE_INVALID', 'there is no such package in the registry');
    case 'ENOVERSIONS':
      return problem('SOURCE_INVALID', 'the registry has no version of it');
    case 'ETARGET':
      return problem('SOURCE_INVALID', `no version matches; there are ${near(failure).join(', ') || 'none'}`);
    case 'EINTEGRITY':
      return problem(
        'PACKAGE_UNSAFE',
        'what the registry sent is not what was announced or locked (integrity differs)',
      );
    case 'E401':
    case 'E403':
      return problem('SOURCE_UNAVAILABLE', 'the registry refuses to give it', 'Check your access to that registry.');
    default:
      return problem('SOURCE_UNAVAILABLE', `the registry failed: ${withoutSecrets(firstLine(cause))}`);
  }
}

/** What was thrown, without the advice that npm adds below it. */
export function firstLine(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0] ?? '';
}

/** The five versions nearest to the range, in order; the tags, if a tag was asked for. */
function near({ versions, distTags, wanted }: RegistryFailure): readonly string[] {
  const known = Array.isArray(versions) ? versions.filter((one) => semver.valid(one) !== null).map(String) : [];
  const range = typeof wanted === 'string' ? semver.validRange(wanted) : null;
  if (range === null) return [...Object.keys((distTags ?? {}) as object), ...known.slice(-5)].slice(0, 10);
  const least = semver.minVersion(range) ?? '0.0.0';
  const sorted = semver.sort(known);
  const after = sorted.findIndex((one) => semver.gte(one, least));
  const middle = after === -1 ? sorted.length : after;
  const start = Math.max(0, Math.min(middle - 3, sorted.length - 5));
  return sorted.slice(start, start + 5);
}
