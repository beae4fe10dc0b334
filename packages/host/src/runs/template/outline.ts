/** A name and where it stands. */
export interface Named {
  readonly name: string;
  readonly path: string;
}

/** A step, in a list or alone. */
export interface StepOutline {
  readonly role: Named | undefined;
  readonly reviewers: readonly Named[];
  readonly verifies: boolean;
}

/** A phase. */
export interface PhaseOutline {
  readonly path: string;
  readonly name: Named | undefined;
  readonly next: Named | undefined;
  readonly gate: Named | undefined;
  readonly steps: readonly StepOutline[];
}

/** A declared gate. */
export interface GateOutline extends Named {
  /** The fields of each check. */
  readonly checks: readonly { readonly path: string; readonly fields: readonly string[] }[];
  /** undefined where it cannot be made out. */
  readonly kind: string | undefined;
  readonly approval: {
    readonly fields: readonly string[];
    readonly quorum: number;
    readonly approvers: readonly Named[];
    /** The fields of `automatic_if`. */
    readonly conditions: readonly string[];
  };
}

/** Who and what is in a template, as far as it can be made out. */
export interface Outline {
  readonly roles: readonly Named[];
  readonly phases: readonly PhaseOutline[];
  readonly gates: readonly GateOutline[];
}

/**
 * Makes out what a template says across its fields, whatever else is wrong with it, so that all problems can be told at
 * once. Never throws.
 */
export function outlineOf(value: unknown): Outline {
  const { roles, phases, gates } = fieldsIn(value);
  return {
    roles: Object.keys(fieldsIn(roles)).map((name) => ({ name, path: `roles.${name}` })),
    phases: listIn(phases).map((phase, i) => phaseIn(phase, `phases[${i}]`)),
    gates: Object.entries(fieldsIn(gates)).map(([name, gate]) => gateIn(name, gate)),
  };
}

function phaseIn(value: unknown, path: string): PhaseOutline {
  const { name, next, gate, steps } = fieldsIn(value);
  return {
    path,
    name: namedIn(name, `${path}.name`),
    next: namedIn(next, `${path}.next`),
    gate: namedIn(gate, `${path}.gate`),
    steps: listIn(steps).flatMap((step, i) => stepsIn(step, `${path}.steps[${i}]`)),
  };
}

function stepsIn(value: unknown, path: string): StepOutline[] {
  const { role, reviewers, verify, parallel } = fieldsIn(value);
  if (parallel !== undefined) return listIn(parallel).flatMap((step, i) => stepsIn(step, `${path}.parallel[${i}]`));
  return [
    {
      role: namedIn(role, `${path}.role`),
      reviewers: namesIn(reviewers, `${path}.reviewers`),
      verifies: listIn(verify).length > 0,
    },
  ];
}

function gateIn(name: string, value: unknown): GateOutline {
  const path = `gates.${name}`;
  const { checks, approval = 'automatic' } = fieldsIn(value);
  const { kind = approval, quorum, approvers, automatic_if } = fieldsIn(approval);
  return {
    name,
    path,
    checks: listIn(checks).flatMap((check, i) =>
      isFields(check) ? [{ path: `${path}.checks[${i}]`, fields: Object.keys(check) }] : [],
    ),
    kind: typeof kind === 'string' ? kind : undefined,
    approval: {
      fields: Object.keys(fieldsIn(approval)),
      quorum: typeof quorum === 'number' ? quorum : 1,
      approvers: namesIn(approvers, `${path}.approval.approvers`),
      conditions: Object.keys(fieldsIn(automatic_if)),
    },
  };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsIn(value: unknown): Record<string, unknown> {
  return isFields(value) ? value : {};
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function namedIn(value: unknown, path: string): Named | undefined {
  return typeof value === 'string' ? { name: value, path } : undefined;
}

function namesIn(value: unknown, path: string): Named[] {
  return listIn(value).flatMap((name, i) => namedIn(name, `${path}[${i}]`) ?? []);
}
