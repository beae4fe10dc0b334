import { PatchbayError } from 'patchbay-sdk';
import { shownName } from './names.ts';

/** A git repository. */
export interface GitSource {
  readonly kind: 'git';
  /** As git takes it: without `git+`. */
  readonly url: string;
  readonly protocol: 'https' | 'ssh' | 'file';
  /** A branch, a tag or a commit; undefined is what the repository calls its head. */
  readonly committish: string | undefined;
}

const scp = /^git@[A-Za-z0-9][A-Za-z0-9.-]*:[^-:][^:]*$/;
const protocols: Readonly<Record<string, GitSource['protocol']>> = {
  'https:': 'https',
  'ssh:': 'ssh',
  'file:': 'file',
};

/** Whether a text is meant as a git URL, right or wrong. */
export function looksLikeGit(text: string): boolean {
  const [url = ''] = text.split('#');
  return /^(?:git\+|git:\/\/|ssh:\/\/|git@)/.test(text) || (/^https?:\/\//.test(url) && url.endsWith('.git'));
}

/** Understands a git URL with an optional `#committish`. Throws SOURCE_INVALID, and never shows what might be a password. */
export function parseGit(text: string): GitSource {
  const at = text.indexOf('#');
  const url = (at === -1 ? text : text.slice(0, at)).replace(/^git\+/, '');
  const shown = shownName(withoutSecrets(text));
  const invalid = (why: string) => new PatchbayError('SOURCE_INVALID', `${shown} ${why}`);
  const committish = at === -1 ? undefined : text.slice(at + 1);
  if (committish !== undefined && !isCommittish(committish)) {
    throw invalid('does not name a branch, tag or commit after the #');
  }
  if (scp.test(url)) return { kind: 'git', url, protocol: 'ssh', committish };
  const parsed = URL.parse(url);
  if (parsed === null || /\s/.test(url)) throw invalid('is not a git URL');
  const protocol = protocols[parsed.protocol];
  if (protocol === undefined) throw invalid(`is refused: only https, ssh and file are safe ways to a git repository`);
  // It would end up in the lock file, in messages and in the list of processes.
  if (parsed.password !== '' || (parsed.username !== '' && protocol !== 'ssh')) {
    throw new PatchbayError('SOURCE_INVALID', `${shown} contains a password or token`, {
      hint: 'Use an SSH URL, or a credential helper of git.',
    });
  }
  if (protocol === 'file' ? parsed.hostname !== '' : !/^[A-Za-z0-9[]/.test(parsed.hostname)) {
    throw invalid('names no host that git could reach');
  }
  if (parsed.pathname === '/' || parsed.pathname === '') throw invalid('names no repository');
  return { kind: 'git', url, protocol, committish };
}

/** The text that `parseGit` understands as this source. */
export function gitText({ url, committish }: GitSource): string {
  const text = url.startsWith('git@') ? url : `git+${url}`;
  return committish === undefined ? text : `${text}#${committish}`;
}

/** A text in which no URL has a user, password or token any more. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/(\w:\/\/)[^/@\s]*@/g, (_, start: string) => `${start}***@`);
}

/** Nothing that git could take for an option, a refspec or an expression. */
function isCommittish(text: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_./+@-]{0,199}$/u.test(text) && !text.includes('..');
}
