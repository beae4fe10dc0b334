import { type DayAnswer, findProject, requestDay, shownRequest } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { beside, crewing } from './carry-on.ts';
import type { Input, Output } from './command.ts';
import { standingOutput, whoami } from './run-output.ts';

/** Begins a day of the plan and follows it; one that is shipped or under way is only told of. */
export async function runDay(input: Input): Promise<Output> {
  const { options, cwd, progress: warn } = input;
  const stray = ['input', 'template'].filter((name) => options[name] !== undefined);
  if (stray.length > 0) throw new PatchbayError('USAGE', `--${stray[0]} cannot go with --day: the plan says it`);
  const wanted = { day: dayOption(options['day']), by: whoami(options['by']) };
  const project = findProject(cwd);
  if (project === undefined) throw new PatchbayError('PROJECT_MISSING', `there is no project in ${cwd} nor above it`);
  if (options['detach'] === true) {
    return beside(input, (host) =>
      host.beside(async (runs, ledger) => told(await requestDay({ project, ledger, runs, warn }, wanted))),
    );
  }
  return crewing(input, async ({ runs, ledger, carryOn }) => {
    const answer = await requestDay({ project, ledger, runs, warn }, wanted);
    if (answer.kind !== 'begun') return told(answer);
    input.progress(`day ${answer.day}, ${answer.run_id}: ${answer.target}`);
    return standingOutput(await carryOn(answer.run_id));
  });
}

/** A day that the user gave: its number. Throws USAGE. */
function dayOption(value: unknown): number | 'next' {
  if (value === 'next') return value;
  const day = Number(value);
  if (Number.isSafeInteger(day) && day >= 1) return day;
  throw new PatchbayError('USAGE', `--day ${String(value)}: must be the number of a day, from 1 on, or next`);
}

function told(answer: DayAnswer): Output {
  if (answer.kind === 'none') {
    return { json: { day: null, state: 'none' }, text: `All ${answer.days} days of the plan are shipped.` };
  }
  const { day, run_id } = answer;
  switch (answer.kind) {
    case 'shipped':
      return {
        json: { day, state: 'shipped', run_id, shipped_at: answer.at },
        text: `Day ${day} was shipped at ${answer.at} (${run_id}); nothing is done again.`,
      };
    case 'under-way':
      return {
        json: { day, state: 'under-way', run_id },
        text: `Day ${day} is under way as ${run_id}; see patchbay status ${run_id}, or go on with patchbay resume ${run_id}.`,
      };
    case 'begun':
      return {
        json: { ...shownRequest({ run_id, template: 'pace', status: 'pending' }), day },
        text: `${run_id}: pending`,
      };
  }
}
