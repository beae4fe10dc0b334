import type { DocumentName } from '../../day/documents.ts';

/** How a template is carried out: normalised, every default filled in, every name in it known to exist. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** By name. */
  readonly roles: Readonly<Record<string, Role>>;
  /** In the order of the file; the first is where a run begins. */
  readonly phases: readonly Phase[];
  /** By name. */
  readonly gates: Readonly<Record<string, Gate>>;
  readonly limits: Limits;
  readonly reviews: Reviews;
}

/** Somebody who works in a run. */
export interface Role {
  readonly name: string;
  readonly title: string;
  /** What it is to do, in words for the agent. */
  readonly mandate: string;
  /** The agent core that plays it. */
  readonly core: string;
  /** Whether the core was chosen for this run: what the project says of the role does not count. @default false */
  readonly isCast?: boolean;
  /** Settings of the core for this role. */
  readonly with: Readonly<Record<string, unknown>>;
  /** Globs of files it may change, relative to the workspace, for `path.matchesGlob`; none by default. */
  readonly writes: readonly string[];
  /** How long one of its turns may take. */
  readonly timeoutMs: number;
  /** The document that its turns hand in as `report`; null if none is asked for. */
  readonly report: DocumentName | null;
  /** The labels that a host must have to play it, all of them. @default none */
  readonly runsOn?: readonly string[];
}

/** A part of a run: steps, and the gate at its end. */
export interface Phase {
  readonly name: string;
  /** One after the other; those in one list at the same time. */
  readonly steps: readonly (readonly Step[])[];
  /** The gate that must open at its end; every phase has one. */
  readonly gate: string;
  /** The phase after it; null after the last, whose gate is that of completion. */
  readonly next: string | null;
}

/** One piece of work: a role's turn, judged by others' turns. */
export interface Step {
  /** Unique in the template: `phase/role`, and for one that comes again `phase/role.2`. */
  readonly id: string;
  readonly role: string;
  /** Roles that judge what the turn gave; all of them must let it pass. */
  readonly reviewers: readonly string[];
  /** Commands that the host runs itself, in the workspace, to see whether the work holds. */
  readonly verify: readonly string[];
}

/** What must hold before a run goes on. */
export interface Gate {
  readonly name: string;
  readonly checks: readonly Check[];
  readonly approval: Approval;
}

/** Something about a run that can be looked up. */
export type Check =
  | { readonly kind: 'file'; readonly path: string; readonly contains: string | null; readonly matches: string | null }
  /** The last verification of each step of the phase passed. */
  | { readonly kind: 'verification' }
  /** Every reviewer of the phase let it pass. */
  | { readonly kind: 'reviews' }
  /** No objection of this severity or above is open; one of a severity that is not in the list counts as the highest. */
  | { readonly kind: 'objections'; readonly severity: Severity };

/** How much an objection weighs, from the least. */
export const severities = ['low', 'medium', 'high', 'blocking'] as const;

/** One of them. */
export type Severity = (typeof severities)[number];

/** The least severity that a template means: with `none` every objection counts. */
export function leastOf(severity: 'none' | Severity): Severity {
  return severity === 'none' ? 'low' : severity;
}

/** The kinds of approval: nobody's; people's; people's who prove who they are; nobody's where its conditions hold, else people's. */
export const approvalKinds = ['automatic', 'human', 'credentialed', 'policy'] as const;

/** The kinds of approval that a policy may fall back on. */
export const peopleKinds = ['human', 'credentialed'] as const;

/**
 * When a gate opens by itself, as the template says it: all of it must hold of what the run has done so far. What is not given
 * holds.
 */
export interface Conditions {
  readonly usd_below?: number | undefined;
  readonly tokens_below?: number | undefined;
  readonly files_changed_below?: number | undefined;
  /** Globs; each changed file must match one. */
  readonly files_only?: readonly string[] | undefined;
  readonly objections?: 'none' | Severity | undefined;
  readonly verification?: 'pass' | undefined;
}

/** Who lets a run through a gate when its checks hold. */
export interface Approval {
  /** `automatic`: nobody; `human`: people; `credentialed`: people who prove who they are; `policy`: see `policy`. */
  readonly kind: (typeof approvalKinds)[number];
  /** Only of kind `policy`: when nobody is needed, and who is otherwise. */
  readonly policy?: { readonly automaticIf: Conditions; readonly otherwise: (typeof peopleKinds)[number] };
  /** How many must approve; 0 if it is automatic. */
  readonly quorum: number;
  /** Who may; empty: anybody. */
  readonly approvers: readonly string[];
  /** Whether whoever started the run may be the one who approves. */
  readonly proposerMayApprove: boolean;
  /** After which an unanswered gate counts as refused; null: never. */
  readonly expiresMs: number | null;
}

/** What becomes of a concern that stops nothing: it is written down; or sent back once to whoever works, and then written down. */
export const advisoryWays = ['record', 'retry-once'] as const;

/** What becomes of a review that fails: it is tried again, as work is; or it counts as one that holds the work. */
export const crashWays = ['retry', 'hold'] as const;

/** How reviews are heeded that neither let the work pass nor reject it. */
export interface Reviews {
  readonly advisory: (typeof advisoryWays)[number];
  readonly crash: (typeof crashWays)[number];
}

/** What holds where a template says nothing of reviews. */
export const usualReviews: Reviews = { advisory: 'record', crash: 'retry' };

/** A template as one of today: what was written down by an earlier version lacks what templates have said since. */
export function upToDate(template: Template): Template {
  const roles = Object.entries(template.roles).map(([name, role]) => [name, { ...role, report: role.report ?? null }]);
  return { ...template, roles: Object.fromEntries(roles), reviews: template.reviews ?? usualReviews };
}

/** What a run may use. */
export interface Limits {
  /** How often a step is tried. */
  readonly attempts: number;
  readonly runTimeoutMs: number | null;
  readonly usd: number | null;
  readonly tokens: number | null;
  /** How many turns of one run at the same time. */
  readonly parallel: number;
}
