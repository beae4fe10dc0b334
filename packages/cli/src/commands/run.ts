import { findProject, findTemplate, shownRequest } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { beside, crewing } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { runDay } from '../day-run.ts';
import { standingOutput, whoami } from '../run-output.ts';

export const run: Run = async (input) => {
  const { options, cwd, progress } = input;
  if (options['day'] !== undefined) return runDay(input);
  const goal = options['input'];
  if (goal === undefined || String(goal).trim() === '')
    throw new PatchbayError('USAGE', 'say with --input what the run is for, or with --day which day of the plan it is');
  const project = findProject(cwd);
  if (project === undefined) throw new PatchbayError('PROJECT_MISSING', `there is no project in ${cwd} nor above it`);
  const template = findTemplate(String(options['template'] ?? 'governed'), project.dir, progress);
  const wanted = { template, goal: String(goal), by: whoami(options['by']) };
  if (options['detach'] === true) {
    const run_id = await beside(input, (host) => host.beside((runs) => runs.request(wanted)));
    return { json: shownRequest({ run_id, template: template.name, status: 'pending' }), text: `${run_id}: pending` };
  }
  return crewing(input, async ({ runs, carryOn }) => {
    const run_id = await runs.request(wanted);
    progress(`${run_id}: ${String(goal)}`);
    return standingOutput(await carryOn(run_id));
  });
};
