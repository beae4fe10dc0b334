import { findProject, findTemplate } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { beside, carryOn, working } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { runOutput, whoami } from '../run-output.ts';

export const run: Run = async (input) => {
  const { options, cwd, progress } = input;
  const goal = options['input'];
  if (goal === undefined) throw new PatchbayError('USAGE', 'say with --input what the run is for');
  const project = findProject(cwd);
  if (project === undefined) throw new PatchbayError('PROJECT_MISSING', `there is no project in ${cwd} nor above it`);
  const template = findTemplate(String(options['template'] ?? 'governed'), project.dir, progress);
  const wanted = { template, goal: String(goal), by: whoami(options['by']) };
  if (options['detach'] === true) {
    const run_id = await beside(input, (host) => host.beside((runs) => runs.request(wanted)));
    const json = { run_id, template: template.name, status: 'pending', turns: [], gates: [] };
    return { json, text: `${run_id}: pending` };
  }
  return working(input, async (service) => {
    const run_id = await service.runs.request(wanted);
    progress(`${run_id}: ${String(goal)}`);
    return runOutput(await carryOn(service, run_id, input));
  });
};
