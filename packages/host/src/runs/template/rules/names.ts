import { type Problem, suggestion } from 'patchbay-sdk';
import type { Named } from '../outline.ts';
import { type Rule, repeated } from './rule.ts';

/** The word for "no phase follows". */
export const endWord = 'end';

function unknown(what: string, { name, path }: Named, known: readonly string[]): Problem[] {
  if (known.includes(name)) return [];
  return [{ path, message: `there is no ${what} "${name}"; ${suggestion(name, known)}` }];
}

/** Who works and who judges must be a role of the template. */
export const rolesExist: Rule = ({ roles, phases }) => {
  const known = roles.map(({ name }) => name);
  const named = phases.flatMap(({ steps }) =>
    steps.flatMap(({ role, reviewers }) => [role ?? [], ...reviewers].flat()),
  );
  return named.flatMap((role) => unknown('role', role, known));
};

/** Nobody judges their own work, nor twice. */
export const reviewersDiffer: Rule = ({ phases }) =>
  phases
    .flatMap(({ steps }) => steps)
    .flatMap(({ role, reviewers }) => [
      ...reviewers
        .filter(({ name }) => name === role?.name)
        .map(({ name, path }) => ({ path, message: `"${name}" would review its own work; name another role` })),
      ...repeated(reviewers).map(({ name, path }) => ({
        path,
        message: `"${name}" is a reviewer of this step already`,
      })),
    ]);

/** The gate of a phase must be declared. */
export const gatesExist: Rule = ({ phases, gates }) => {
  const known = gates.map(({ name }) => name);
  return phases.flatMap(({ gate }) => (gate === undefined ? [] : unknown('gate', gate, known)));
};

/** The phase after a phase must be one. */
export const nextExists: Rule = ({ phases }) => {
  const known = [...phases.flatMap(({ name }) => name?.name ?? []), endWord];
  return phases.flatMap(({ next }) => (next === undefined ? [] : unknown('phase', next, known)));
};

/** Phases are known by their names. */
export const phaseNamesDiffer: Rule = ({ phases }) => {
  const named = phases.flatMap(({ name }) => name ?? []);
  return [
    ...repeated(named).map(({ name, path }) => ({ path, message: `there is a phase "${name}" already` })),
    ...named
      .filter(({ name }) => name === endWord)
      .map(({ path }) => ({ path, message: `"${endWord}" cannot be the name of a phase: as "next" it ends the run` })),
  ];
};
