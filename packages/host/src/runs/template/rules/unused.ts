import type { Rule } from './rule.ts';

/** Roles that nobody asks for anything. */
export const rolesAreUsed: Rule = ({ roles, phases }) => {
  const steps = phases.flatMap(({ steps }) => steps);
  const used = steps.flatMap(({ role, reviewers }) => [role?.name, ...reviewers.map(({ name }) => name)]);
  return roles
    .filter(({ name }) => !used.includes(name))
    .map(({ name, path }) => ({ path, message: `the role "${name}" is never used` }));
};

/** Gates that stand at the end of no phase. */
export const gatesAreUsed: Rule = ({ phases, gates }) => {
  const used = phases.map(({ gate }) => gate?.name);
  return gates
    .filter(({ name }) => !used.includes(name))
    .map(({ name, path }) => ({ path, message: `the gate "${name}" is never used` }));
};

/** Checks of something that the phase does not have hold always, or never. */
export const checksHaveSubjects: Rule = ({ phases, gates }) =>
  phases.flatMap((phase) => {
    const { gate, steps } = phase;
    const declared = gates.find(({ name }) => name === gate?.name);
    const fields = declared?.checks.flatMap((check) => check.fields) ?? [];
    const looksAt = [...fields, ...(declared?.approval.conditions ?? [])];
    const missing = [];
    if (fields.includes('reviews') && !steps.some(({ reviewers }) => reviewers.length > 0)) {
      missing.push('looks at reviews, but no step of the phase has reviewers');
    }
    if (looksAt.includes('verification') && !steps.some(({ verifies }) => verifies)) {
      missing.push('looks at the verification, but no step of the phase has "verify"');
    }
    return missing.map((what) => ({ path: gate?.path ?? phase.path, message: `the gate "${gate?.name}" ${what}` }));
  });
