import { lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from 'patchbay-sdk';
import { stringify } from 'yaml';
import type { RunState, Submitted } from '../runs/state.ts';
import { writeWhole } from '../workspaces/index.ts';
import { documentNames, fileNames } from './documents.ts';

/** The folder of the project in which people find the documents of its days. */
export const daysFolder = '.pace';

/**
 * Writes what was handed in so far on a day to `.pace/day-N/*.yaml` of the project, each file whole or not at all. Does
 * nothing for a run that is no day, or where nothing has changed. Gives what could not be written; never throws.
 */
export function writeDayFiles(project: string, state: RunState): string[] {
  const { day } = state.inputs;
  if (typeof day !== 'number') return [];
  const dirs = [join(project, daysFolder), join(project, daysFolder, `day-${day}`)];
  return documentNames.flatMap((name) => {
    const document = state.documents[name];
    if (document === undefined) return [];
    const file = join(dirs[1] ?? '', `${fileNames[name]}.yaml`);
    try {
      for (const dir of dirs) makeFolder(dir);
      write(file, textOf(state, document));
      return [];
    } catch (error) {
      return [`${file} could not be written: ${messageOf(error)}`];
    }
  });
}

/** An agent may have put a link there, which leads elsewhere. */
function makeFolder(dir: string): void {
  const found = lstatSync(dir, { throwIfNoEntry: false });
  if (found === undefined) mkdirSync(dir);
  else if (!found.isDirectory()) throw new Error(`${dir} is not a folder`);
}

function write(file: string, text: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() && readFileSync(file, 'utf8') === text) return;
  rmSync(`${file}.next`, { recursive: true, force: true });
  writeWhole(file, text, 0o644);
}

function textOf({ run_id, template }: RunState, { role, turn_id, attempt, report }: Submitted): string {
  const who = template.roles[role]?.title ?? role;
  return `# ${who} (${turn_id}, attempt ${attempt}) in ${run_id}\n${stringify(report, { lineWidth: 120 })}`;
}
