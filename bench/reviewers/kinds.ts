import type { Kind } from './corpus/case.ts';

/** The reviewers, by the name of their core. */
export const reviewers = ['gate', 'sentinel', 'conduit'] as const;
/** See {@link reviewers}. */
export type Reviewer = (typeof reviewers)[number];

/** Whose matter a kind of defect is, and the checks that tell of it; whichever reviewer makes the check. */
export const kinds: Readonly<Record<Kind, { readonly reviewer: Reviewer; readonly checks: readonly string[] }>> = {
  // Where the tests are not to be trusted, neither is what they show about the criteria.
  tests: { reviewer: 'gate', checks: ['tests', 'criterion'] },
  criterion: { reviewer: 'gate', checks: ['criterion'] },
  secret: { reviewer: 'sentinel', checks: ['secrets'] },
  traversal: { reviewer: 'sentinel', checks: ['path traversal'] },
  injection: {
    reviewer: 'sentinel',
    checks: ['command injection', 'code injection', 'SQL injection', 'cross-site scripting', 'template injection'],
  },
  deserialisation: { reviewer: 'sentinel', checks: ['unsafe loading'] },
  tls: { reviewer: 'sentinel', checks: ['certificates'] },
  timeout: { reviewer: 'sentinel', checks: ['timeouts'] },
  'workflow injection': { reviewer: 'conduit', checks: ['untrusted code'] },
  action: { reviewer: 'conduit', checks: ['pinning'] },
  'test step': { reviewer: 'conduit', checks: ['blocking tests'] },
  lock: { reviewer: 'conduit', checks: ['lock files', 'dependencies'] },
  target: { reviewer: 'conduit', checks: ['targets'] },
};
