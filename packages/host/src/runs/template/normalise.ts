import { durationMs } from './duration.ts';
import { endWord } from './rules/names.ts';
import type { TemplateForm } from './schema.ts';
import {
  type Approval,
  type Check,
  type Gate,
  type Limits,
  leastOf,
  type Phase,
  type Role,
  type Step,
  type Template,
  usualReviews,
} from './template.ts';

type Fields<K extends keyof TemplateForm> = NonNullable<TemplateForm[K]>;
type RoleForm = Fields<'roles'>[string];
type PhaseForm = Fields<'phases'>[number];
type StepForm = Extract<PhaseForm['steps'][number], { role: string }>;
type GateForm = Fields<'gates'>[string];
type CheckForm = NonNullable<GateForm['checks']>[number];
type ApprovalForm = Exclude<NonNullable<GateForm['approval']>, string>;
type IdOf = (id: string) => string;

/** What holds where a template says nothing. */
const usual = { core: 'default', timeoutMs: 30 * 60_000, attempts: 3, parallel: 4 } as const;

/** Fills in all defaults. Only for a template that fits the form and breaks no rule. */
export function normalise(form: TemplateForm): Template {
  const { name, description = '', roles, phases, gates = {}, limits = {}, reviews = {} } = form;
  const own = phases.filter(({ gate }) => gate === undefined).map((phase) => gateOf(phase.name, {}));
  const declared = Object.entries(gates).map(([gate, form]) => gateOf(gate, form));
  const idOf = stepIds();
  return {
    name,
    description,
    roles: Object.fromEntries(Object.entries(roles).map(([role, form]) => [role, roleOf(role, form)])),
    phases: phases.map((phase, i) => phaseOf(phase, phases[i + 1]?.name ?? null, idOf)),
    gates: Object.fromEntries([...declared, ...own].map((gate) => [gate.name, gate])),
    limits: limitsOf(limits),
    reviews: { advisory: reviews.advisory ?? usualReviews.advisory, crash: reviews.crash ?? usualReviews.crash },
  };
}

function roleOf(name: string, form: RoleForm): Role {
  const { title = name, mandate = '', core = usual.core, writes = [], timeout, report = null } = form;
  // As it will be read back from the ledger: a -0 would not survive.
  const settings = JSON.parse(JSON.stringify(form.with ?? {}));
  const timeoutMs = msOf(timeout) ?? usual.timeoutMs;
  const runsOn = form['runs-on'] === undefined ? {} : { runsOn: [form['runs-on']].flat() };
  return { name, title, mandate, core, with: settings, writes, timeoutMs, report, ...runsOn };
}

function phaseOf(form: PhaseForm, after: string | null, idOf: IdOf): Phase {
  const { name, steps, gate = name, next = after } = form;
  const stepOf = ({ role, reviewers = [], verify = [] }: StepForm): Step => {
    return { id: idOf(`${name}/${role}`), role, reviewers, verify };
  };
  return {
    name,
    steps: steps.map((step) => ('parallel' in step ? step.parallel : [step]).map(stepOf)),
    gate,
    next: next === endWord ? null : next,
  };
}

/** Tells ids that come again by a number, after a dot: no name has one. */
function stepIds(): IdOf {
  const seen = new Map<string, number>();
  return (id) => {
    const times = (seen.get(id) ?? 0) + 1;
    seen.set(id, times);
    return times === 1 ? id : `${id}.${times}`;
  };
}

function gateOf(name: string, { checks = [], approval = 'automatic' }: GateForm): Gate {
  return {
    name,
    checks: checks.map(checkOf),
    approval: approvalOf(typeof approval === 'string' ? { kind: approval } : approval),
  };
}

function checkOf({ file, contains, matches, objections, verification }: CheckForm): Check {
  if (file !== undefined) return { kind: 'file', path: file, contains: contains ?? null, matches: matches ?? null };
  if (objections !== undefined) return { kind: 'objections', severity: leastOf(objections) };
  return { kind: verification === undefined ? 'reviews' : 'verification' };
}

function approvalOf(form: ApprovalForm): Approval {
  const { kind, automatic_if, quorum, approvers = [], proposer_may_approve, expires } = form;
  return {
    kind,
    ...(automatic_if === undefined ? {} : { policy: { automaticIf: automatic_if, otherwise: form.else ?? 'human' } }),
    quorum: quorum ?? (kind === 'automatic' ? 0 : 1),
    approvers,
    proposerMayApprove: proposer_may_approve ?? true,
    expiresMs: msOf(expires),
  };
}

function limitsOf({ attempts, run_timeout, usd, tokens, parallel }: Fields<'limits'>): Limits {
  return {
    attempts: attempts ?? usual.attempts,
    runTimeoutMs: msOf(run_timeout),
    usd: usd ?? null,
    tokens: tokens ?? null,
    parallel: parallel ?? usual.parallel,
  };
}

function msOf(duration: string | undefined): number | null {
  return duration === undefined ? null : (durationMs(duration) ?? null);
}
