import { PatchbayError } from 'patchbay-sdk';
import type { Project } from '../config/project.ts';
import { requestDay } from '../day/request.ts';
import { findTemplate } from '../runs/template/find.ts';
import type { Service } from '../service.ts';
import type { BeginRun } from './run-starts.ts';

/**
 * Begins runs as routes want them: a day of the plan, or a run of a template, `governed` if none is named. Throws what
 * `requestDay` and `Runs.request` do.
 */
export function beginning({ runs, ledger }: Pick<Service, 'runs' | 'ledger'>, project: Project): BeginRun {
  return async ({ template = 'governed', day, input }, run_id, by) => {
    if (day === undefined) {
      return runs.request({ run_id, template: findTemplate(template, project.dir), goal: input ?? by, by });
    }
    const answer = await requestDay({ project, ledger, runs }, { day: day ?? 'next', by, run_id });
    if (answer.kind !== 'none') return answer.run_id;
    throw new PatchbayError('DAY_UNKNOWN', `there is no next day: all ${answer.days} of the plan are shipped`);
  };
}
