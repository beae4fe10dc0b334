import { PatchbayError } from 'patchbay-sdk';
import type { RunSettings } from '../config/project.ts';
import type { Action } from './decide.ts';
import type { RunState } from './state.ts';
import type { Role } from './template/template.ts';

/** Which labels a host lacks to play a role; none: it can. */
export type Lacks = (role: Role) => readonly string[];

/** Of a host that plays every role, whatever it asks for. */
export const lacksNothing: Lacks = () => [];

/** A role that a host cannot play, and why. */
export interface Lacking {
  readonly role: string;
  readonly labels: readonly string[];
}

/** The labels that a host must have to play a role: as the project says, or else the template. */
export function neededBy(role: Role, { runsOn }: Pick<RunSettings, 'runsOn'>): readonly string[] {
  const own = role.isCast === true ? undefined : runsOn[role.name];
  return own ?? role.runsOn ?? [];
}

/** What a host with these labels lacks. */
export function lackingWith(labels: readonly string[], settings: Pick<RunSettings, 'runsOn'>): Lacks {
  return (role) => neededBy(role, settings).filter((label) => !labels.includes(label));
}

/** Which of the next actions of a run a host can do, and which roles it lacks something for. Pure. */
export function sharedOut(
  { template }: RunState,
  actions: readonly Action[],
  lacks: Lacks,
): { readonly here: readonly Action[]; readonly lacking: readonly Lacking[] } {
  const here: Action[] = [];
  const lacking: Lacking[] = [];
  for (const action of actions) {
    const name = playedIn(action);
    const role = name === undefined ? undefined : template.roles[name];
    const labels = role === undefined ? [] : lacks(role);
    if (labels.length === 0) here.push(action);
    else lacking.push({ role: role?.name ?? '', labels });
  }
  return { here, lacking };
}

/** The role that must be played to do it. Everything else any host can do. */
function playedIn(action: Action): string | undefined {
  if (action.kind === 'dispatch') return action.role;
  return action.kind === 'work' ? action.turn.role : undefined;
}

/** That nobody with these labels has carried the run on yet. */
export function unlabelled(run_id: string, lacking: readonly Lacking[]): PatchbayError {
  const waits = lacking.map(({ role, labels }) => {
    return `role "${role}" waits for a host with label ${labels.join(' and ')}`;
  });
  return new PatchbayError('HOST_LABELS', [...new Set(waits)].join('; '), { run: run_id });
}
