import type { EventPayload } from 'patchbay-sdk';
import { newEvent, type RunRow } from '../ledger/index.ts';
import type { Carried, RunConfig } from './state.ts';
import type { Template } from './template/template.ts';

/** A run that is wanted. */
export interface Wanted {
  readonly run_id: string;
  readonly template: Template;
  readonly goal: string;
  readonly by: string;
  readonly resumes?: string;
  readonly from_phase?: string;
  /** What it is told, by name. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** The run whose work it begins with, where that is ahead of what is checked out. */
  readonly builds_on?: string;
  /** Of the run that it resumes. */
  readonly carried?: Carried;
  /** The objections that whoever begins it anew has overruled. */
  readonly overruled?: readonly string[];
}

/** What is kept of a run that is wanted, until it begins. */
export type Request = Omit<Wanted, 'run_id' | 'template' | 'goal'> & { readonly snapshot: Template };

/** The first step of a run that was requested, with all that it needs from then on. */
export function startOf({ run_id, template, goal, request }: RunRow, at: Date): EventPayload<'run:started'> {
  const { snapshot, by, resumes, from_phase, inputs, builds_on, carried, overruled } = request as unknown as Request;
  const config: RunConfig = {
    template: snapshot,
    started_by: by,
    ...(from_phase === undefined ? {} : { from_phase }),
    ...(inputs === undefined ? {} : { inputs }),
    ...(builds_on === undefined ? {} : { builds_on }),
    ...(carried === undefined ? {} : { carried }),
    ...(overruled === undefined ? {} : { overruled }),
  };
  return newEvent('run:started', {
    at: at.toISOString(),
    run_id,
    template,
    goal,
    summary: goal,
    config_summary: config as unknown as Record<string, unknown>,
    roles: Object.keys(snapshot.roles),
    phases: snapshot.phases.map(({ name }) => name),
    ...(resumes === undefined ? {} : { resumes }),
  });
}
