import { problemsOf } from 'patchbay-sdk';
import * as z from 'zod/mini';

const said = z.string().check(z.regex(/\S/, { error: 'must say something' }));
const texts = z.array(said);
const decision = z.enum(['SHIP', 'HOLD', 'ADVISORY']);

/** What PRIME hands in: what the day is to bring, and how one can see that it did. */
const storyCard = z.object({
  story_id: z.optional(said),
  title: said,
  story: said,
  /** Each can be seen to pass or fail; at least one. */
  acceptance_criteria: texts.check(z.minLength(1, { error: 'has no criterion' })),
  out_of_scope: z.optional(texts),
  /** Criteria that are left for another day: they are not judged, and told to PRIME again. */
  deferred: z.optional(texts),
});

/** What FORGE hands in: what was done, and what whoever judges it should know. */
const handoff = z.object({
  summary: said,
  files_changed: texts,
  tests_added: z.optional(texts),
  notes: z.string(),
  /** How often it went round before it was content. */
  iterations: z.optional(z.int().check(z.nonnegative())),
});

/** What GATE hands in: how each criterion fares, and by what one can tell. */
const gateReport = z.object({
  criteria_results: z.array(z.object({ criterion: said, result: z.enum(['PASS', 'FAIL', 'PARTIAL']), evidence: said })),
  blockers: texts,
  deferred: texts,
  gate_decision: decision,
  /** Empty unless it holds the work, or lets it pass with a concern. */
  hold_reason: z.string(),
});

const findings = {
  findings: z.array(z.object({ check: said, result: z.enum(['PASS', 'FAIL', 'ADVISORY']), evidence: said })),
  advisories: texts,
  blockers: texts,
  hold_reason: z.string(),
};

/** The documents that a role of a template can be asked for, by the name that its `report` gives. */
export const documents = {
  story_card: storyCard,
  handoff,
  gate_report: gateReport,
  sentinel_report: z.object({ ...findings, sentinel_decision: decision }),
  conduit_report: z.object({ ...findings, conduit_decision: decision }),
};

/** The name of a document. */
export type DocumentName = keyof typeof documents;
/** All of them. */
export const documentNames = Object.keys(documents) as DocumentName[];
/** What document `D` holds. */
export type DocumentOf<D extends DocumentName> = z.output<(typeof documents)[D]>;
/** A document, whichever it is. */
export type Report = Readonly<Record<string, unknown>>;
/** What a reviewer says about a piece of work: it may go out, it must be done again, or it may with a concern. */
export type Decision = z.output<typeof decision>;

/** How each is called in bundles and in the folder of its day. */
export const fileNames: { readonly [D in DocumentName]: string } = {
  story_card: 'story',
  handoff: 'handoff',
  gate_report: 'gate',
  sentinel_report: 'sentinel',
  conduit_report: 'conduit',
};

/** Shown to whoever hands none in. */
const examples: { readonly [D in DocumentName]: DocumentOf<D> } = {
  story_card: {
    title: 'Paging',
    story: 'Readers see ten items on a page.',
    acceptance_criteria: ['page 1 has item 1'],
  },
  handoff: { summary: 'Pages of ten', files_changed: ['src/pager.js'], notes: '' },
  gate_report: { criteria_results: [], blockers: [], deferred: [], gate_decision: 'SHIP', hold_reason: '' },
  sentinel_report: { findings: [], advisories: [], blockers: [], sentinel_decision: 'SHIP', hold_reason: '' },
  conduit_report: { findings: [], advisories: [], blockers: [], conduit_decision: 'SHIP', hold_reason: '' },
};

/** What is wrong with what a turn hands in as this document; nothing, if it is one. */
export function problemsOfDocument(name: DocumentName, report: unknown): string[] {
  if (report === undefined || report === null) {
    return [`result report: is missing: this role hands in a ${name}, as in ${JSON.stringify(examples[name])}`];
  }
  return problemsOf(documents[name], report).map(({ path, message }) => {
    return `result report${path === '' ? '' : ` ${path}`}: ${message}`;
  });
}

/** The field of a reviewer's document that holds its decision; undefined if it is no reviewer's. */
export function decisionField(name: DocumentName): string | undefined {
  return Object.keys(documents[name]._zod.def.shape).find((field) => field.endsWith('_decision'));
}

/** What a reviewer's document decides; undefined if it is no reviewer's. */
export function decisionOf(name: DocumentName, report: Report): Decision | undefined {
  const field = decisionField(name);
  return field === undefined ? undefined : (report[field] as Decision);
}

/** The document of a reviewer that holds the work for this reason, without having looked; null if it is no reviewer's. */
export function holding(name: DocumentName, reason: string): Report | null {
  const field = decisionField(name);
  return field === undefined ? null : { ...examples[name], blockers: [reason], [field]: 'HOLD', hold_reason: reason };
}
