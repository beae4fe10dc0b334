import { checkSubjects } from '../schema.ts';
import { type Rule, repeated } from './rule.ts';

/** A gate that somebody declares stops something. */
export const gatesCheck: Rule = ({ gates }) =>
  gates
    .filter(({ checks, kind }) => checks.length === 0 && kind === 'automatic')
    .map(({ name, path }) => ({
      path,
      message: `"${name}" is a gate without check that opens by itself; give it checks, or "approval: human"`,
    }));

/** A check looks at one thing. */
export const checksAreOne: Rule = ({ gates }) =>
  gates.flatMap(({ checks }) =>
    checks.flatMap(({ path, fields }) => {
      const subjects = checkSubjects.filter((subject) => fields.includes(subject));
      const problems = [];
      if (subjects.length === 0) problems.push(`must have one of ${checkSubjects.join(', ')}`);
      if (subjects.length > 1) problems.push(`has ${subjects.join(' and ')}: write a check for each`);
      const stray = fields.filter((field) => field === 'contains' || field === 'matches');
      if (stray.length > 0 && !fields.includes('file')) problems.push(`${stray.join(' and ')} can only go with "file"`);
      return problems.map((message) => ({ path, message }));
    }),
  );

/** A policy says when it opens a gate, and nothing else does. */
export const policiesDecide: Rule = ({ gates }) =>
  gates.flatMap(({ path, kind, approval: { fields, conditions } }) => {
    const at = `${path}.approval`;
    const stray = fields.filter((field) => field === 'automatic_if' || field === 'else');
    if (kind === 'policy' && conditions.length === 0) {
      const message = 'is a policy that never decides: say under "automatic_if" when the gate opens by itself';
      return [{ path: at, message }];
    }
    if (kind === 'policy' || kind === 'automatic' || kind === undefined || stray.length === 0) return [];
    return [{ path: at, message: `is ${kind}, so it cannot have ${stray.join(', ')}; write "kind: policy"` }];
  });

/** The approval of a gate can be given. */
export const approvalsCanBe: Rule = ({ gates }) =>
  gates.flatMap(({ path, kind, approval: { fields, quorum, approvers } }) => {
    const idle = fields.filter((field) => field !== 'kind');
    return [
      ...(kind === 'automatic' && idle.length > 0
        ? [{ path: `${path}.approval`, message: `is automatic, so it cannot have ${idle.join(', ')}` }]
        : []),
      ...(approvers.length > 0 && quorum > approvers.length
        ? [{ path: `${path}.approval.quorum`, message: `is ${quorum}, but there are ${approvers.length} approvers` }]
        : []),
      ...repeated(approvers).map(({ name, path }) => ({ path, message: `"${name}" is an approver already` })),
    ];
  });

/** A phase that names no gate has one of its own name: it must not look as if it had the declared one. */
export const ownGatesAreFree: Rule = ({ phases, gates }) =>
  phases.flatMap(({ path, name, gate }) =>
    gate === undefined && gates.some((declared) => declared.name === name?.name)
      ? [
          {
            path,
            message: `names no gate, but there is a gate "${name?.name}": write "gate: ${name?.name}" if it is meant`,
          },
        ]
      : [],
  );
