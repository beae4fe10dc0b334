import { messageOf } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { labelPattern, labelWords } from '../../config/labels.ts';
import { documentNames } from '../../day/documents.ts';
import { byName, count, duration, name, oneOf, sound, strict, text } from './fields.ts';
import { problemOfGlob, problemOfPath } from './globs.ts';
import { advisoryWays, approvalKinds, crashWays, peopleKinds, severities } from './template.ts';

/** The regular expression of a check: `^` and `$` stand for lines. Throws a SyntaxError if it is none. */
export function checkPattern(source: string): RegExp {
  return new RegExp(source, 'mu');
}

function problemOfPattern(source: string): string | undefined {
  try {
    checkPattern(source);
    return undefined;
  } catch (error) {
    return `is no regular expression: ${messageOf(error)}`;
  }
}

/** Settings of a core are kept with the run, as JSON; of what YAML gives here, only some numbers are none. */
function isJson(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isJson);
  return typeof value !== 'number' || Number.isFinite(value);
}

const settings = z
  .record(z.string(), z.unknown(), { error: 'must have fields: the settings of the core' })
  .check(z.refine(isJson, { error: 'holds a number that JSON cannot: .nan or .inf' }));

const globs = z.array(sound('a glob like src/**', problemOfGlob)).check(z.maxLength(200));

const labelError = ({ input }: { input?: unknown }) => `${JSON.stringify(input)} must be ${labelWords}`;
const label = z.string({ error: labelError }).check(z.regex(labelPattern, { error: labelError }));
const labels = z.array(label).check(z.minLength(1, { error: 'names no label' }), z.maxLength(20));

const roleForm = strict({
  title: z.optional(text('a text')),
  mandate: z.optional(text('what the role is to do, in words')),
  core: z.optional(name),
  with: z.optional(settings),
  writes: z.optional(globs),
  timeout: z.optional(duration('7d')),
  report: z.optional(oneOf(documentNames)),
  'runs-on': z.optional(z.union([labels, label])),
});

const stepFields = {
  role: name,
  reviewers: z.optional(z.array(name)),
  verify: z.optional(z.array(text('a command, not blank'))),
};
const stepForm = strict(stepFields);
const parallelForm = strict({
  parallel: z.array(stepForm).check(z.minLength(1, { error: 'has no steps' }), z.maxLength(100)),
});

const phaseForm = strict({
  name,
  steps: z
    .array(z.union([stepForm, parallelForm]), { error: 'must be a list of steps' })
    .check(z.minLength(1, { error: 'has no steps' }), z.maxLength(100)),
  gate: z.optional(name),
  next: z.optional(name),
});

/** What a check may look at; each check at one of them. */
export const checkSubjects = ['file', 'verification', 'reviews', 'objections'] as const;

const checkForm = strict({
  file: z.optional(sound('the path of a file', problemOfPath)),
  contains: z.optional(text('a text that the file contains')),
  matches: z.optional(sound('a regular expression', problemOfPattern)),
  verification: z.optional(oneOf(['pass'])),
  reviews: z.optional(oneOf(['pass'])),
  objections: z.optional(oneOf(['none', ...severities])),
}).register(z.globalRegistry, { oneOf: checkSubjects.map((subject) => ({ required: [subject] })) });

const most = 1_000_000_000_000;
const usdError = 'must be a number of dollars, more than 0';
const dollars = z.number({ error: usdError }).check(z.positive({ error: usdError }), z.lte(most, { error: usdError }));

const conditionsForm = strict({
  usd_below: z.optional(dollars),
  tokens_below: z.optional(count(1, most)),
  files_changed_below: z.optional(count(1, most)),
  files_only: z.optional(globs),
  objections: z.optional(oneOf(['none', ...severities])),
  verification: z.optional(oneOf(['pass'])),
});

const approvalForm = strict({
  kind: oneOf(approvalKinds),
  automatic_if: z.optional(conditionsForm),
  else: z.optional(oneOf(peopleKinds)),
  quorum: z.optional(count(1, 100)),
  approvers: z.optional(z.array(text('the name of a person')).check(z.maxLength(100))),
  proposer_may_approve: z.optional(z.boolean({ error: 'must be true or false' })),
  expires: z.optional(duration('365d')),
});

const gateForm = strict({
  checks: z.optional(z.array(checkForm, { error: 'must be a list of checks' }).check(z.maxLength(100))),
  approval: z.optional(z.union([approvalForm, oneOf(approvalKinds)])),
});

const limitsForm = strict({
  attempts: z.optional(count(1, 100)),
  run_timeout: z.optional(duration('365d')),
  usd: z.optional(dollars),
  tokens: z.optional(count(1, most)),
  parallel: z.optional(count(1, 64)),
});

const reviewsForm = strict({ advisory: z.optional(oneOf(advisoryWays)), crash: z.optional(oneOf(crashWays)) });

/** A template as people write it. What goes across fields is told by the rules. */
export const templateForm = strict({
  name,
  description: z.optional(text('a text')),
  roles: byName(roleForm),
  phases: z
    .array(phaseForm, { error: 'must be a list of phases' })
    .check(z.minLength(1, { error: 'has no phases' }), z.maxLength(100)),
  gates: z.optional(byName(gateForm)),
  limits: z.optional(limitsForm),
  reviews: z.optional(reviewsForm),
});

/** A template that fits the form. */
export type TemplateForm = z.output<typeof templateForm>;
