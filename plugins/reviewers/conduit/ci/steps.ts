import { commandsOf, linesOf } from '../../workspace/shell.ts';
import type { Step } from './job.ts';

/** A step that runs a script and nothing else. */
export function scriptStep(run: string, line: number, changes: Partial<Step> = {}): Step {
  const rest = { uses: null, with: {}, toothless: null, folder: '', pipefail: false };
  return { line, scriptLine: line, run, ...rest, ...changes };
}

/** The commands of a step, each with its line in the file. */
export function commandsIn({ run, scriptLine }: Step): { readonly command: string; readonly line: number }[] {
  return linesOf(run).flatMap(({ text, at }) =>
    commandsOf(text).map((command) => ({ command, line: scriptLine + at })),
  );
}
