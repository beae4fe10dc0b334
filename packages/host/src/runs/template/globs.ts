// Plain characters, a class like [a-z], or a choice like {a,b} without a slash or another choice in it.
const parts = /^(?:[^[\]{}]|\[[!^]?[^[\]{}/!^][^[\]{}/]*\]|\{[^[\]{}/]*,[^[\]{}/]*\})+$/;
const extended = /[?*+@!]\(/;
const mostStars = 2;
const mostAlternatives = 64;

/**
 * What is wrong with a glob of a write scope; undefined if nothing is. It takes less than the library with which
 * globs are matched: agents choose the names that are matched, and some of what that takes costs exponential time.
 */
export function problemOfGlob(glob: string): string | undefined {
  const outside = problemOfPath(glob);
  if (outside !== undefined) return outside;
  if (glob.includes('..')) return 'has a range "..", which is not possible';
  if (!parts.test(glob)) return 'has a bracket or brace that is not closed, is empty or is in another one';
  if (extended.test(glob)) return 'has a pattern in parentheses, which is not possible';
  if (glob.startsWith('!')) return 'begins with "!": a scope lists what may be written, nothing is taken out';
  const crowded = glob.split('/').some((part) => part !== '**' && (part.match(/\*/g) ?? []).length > mostStars);
  if (crowded) return `has more than ${mostStars} stars between two slashes ("**" stands alone between them)`;
  const choices = glob.match(/\{[^}]*\}/g) ?? [];
  const alternatives = choices.reduce((product, choice) => product * choice.split(',').length, 1);
  return alternatives > mostAlternatives ? `stands for more than ${mostAlternatives} globs` : undefined;
}

/** What is wrong with a path that must stay in the workspace and name a file there; undefined if nothing is. */
export function problemOfPath(path: string): string | undefined {
  if (/^(?:\/|[a-zA-Z]:|~)/.test(path)) return 'must be relative to the workspace';
  if (/[\\\0\n]/.test(path)) return 'must have forward slashes, and be one line';
  if (path.endsWith('/')) return 'is a folder: name a file, or all files in it with "/**"';
  const parts = path.split('/');
  if (parts.includes('..')) return 'leads out of the workspace';
  return parts.some((part) => part === '' || part === '.') ? 'has a part that is empty or "."' : undefined;
}
