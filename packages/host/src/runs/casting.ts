import { PatchbayError } from 'patchbay-sdk';
import type { Casting, RunSettings } from '../config/project.ts';
import type { RunState, Turn } from './state.ts';
import type { Role, Step } from './template/template.ts';

/** Which core plays a role, and how: as the project says, or else the template. */
export function castingOf(role: Role, { roles, core }: RunSettings): Casting {
  if (role.isCast === true) return { core: role.core, with: role.with };
  const own = roles[role.name];
  if (own !== undefined) return { core: own.core, with: { ...role.with, ...own.with } };
  if (role.core !== 'default' || core === null) return { core: role.core, with: role.with };
  return { core: core.core, with: { ...core.with, ...role.with } };
}

/** The role of this name in the template of a run. Throws RUN_REFUSED if there is none. */
export function roleOf(state: RunState, name: string): Role {
  const role = state.template.roles[name];
  if (role === undefined) throw new PatchbayError('RUN_REFUSED', `there is no role "${name}"`, { run: state.run_id });
  return role;
}

/** The step that a turn is of. */
export function stepOf({ template }: RunState, turn: Turn): Step {
  const steps = template.phases.flatMap((phase) => phase.steps.flat());
  return steps.find(({ id }) => id === turn.step) as Step;
}

/** Whether others work beside a turn. */
export function isParallel({ template }: RunState, turn: Turn): boolean {
  const groups = template.phases.flatMap((phase) => phase.steps);
  return (groups.find((group) => group.some(({ id }) => id === turn.step))?.length ?? 1) > 1;
}
