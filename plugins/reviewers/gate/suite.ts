import { stripVTControlCharacters } from 'node:util';
import type { ReviewInput } from '../review.ts';
import type { Workspace } from '../workspace/files.ts';
import { isTestRun } from '../workspace/shell.ts';
import { detected, isIdle } from './detect.ts';
import { ranNothing } from './ran-nothing.ts';

/** What came of one command. */
export interface Ran {
  readonly command: string;
  readonly exit_code: number;
  /** Empty if it was not run here. */
  readonly output: string;
  /** Whether it was run by this review; else it is what the work's own verification told. */
  readonly here: boolean;
  /** Whether it says that it ran no test at all. */
  readonly empty: boolean;
}

const mostCommands = 10;

/** Runs the commands of the verification, and what the files tell if none of them plainly runs tests. Never rejects. */
export async function runSuite(input: ReviewInput, workspace: Workspace, deadline: number): Promise<Ran[]> {
  const { run, verification } = input;
  if (run === undefined)
    return verification.machine_evidence.map(({ command, exit_code }) => ({
      command,
      exit_code,
      output: '',
      here: false,
      empty: false,
    }));
  const given = [...new Set(verification.commands)].slice(0, mostCommands);
  const commands = given.some(isTestRun) ? given : [...given, ...detected(workspace)];
  const ran: Ran[] = [];
  for (const command of new Set(commands)) {
    const one = await runOne(command, run, deadline);
    ran.push(one.exit_code === 0 && isIdle(command, workspace) ? { ...one, empty: true } : one);
  }
  return ran;
}

async function runOne(command: string, run: NonNullable<ReviewInput['run']>, deadline: number): Promise<Ran> {
  const left = deadline - performance.now();
  if (left <= 0) return { command, exit_code: -1, output: 'the time was up', here: true, empty: false };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not end in time')), left);
  });
  try {
    const { exit_code, output } = await Promise.race([run(command), late]);
    const text = stripVTControlCharacters(output.slice(-200_000));
    return { command, exit_code, output: text, here: true, empty: exit_code === 0 && ranNothing(text) };
  } catch (cause) {
    return { command, exit_code: -1, output: String((cause as Error).message ?? cause), here: true, empty: false };
  } finally {
    clearTimeout(timer);
  }
}

/** The end of an output, where runners put what matters. */
export function tail(output: string): string {
  return output.trim().split('\n').slice(-15).join('\n').slice(-1500);
}

/** Lines of an output that tell of a failure. */
export function failuresIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /^\s*(?:[✗✕✖×]|not ok\b|--- FAIL|FAIL(?:ED)?\b|●|\d+\) )|\bFAILED\b|\.{3} FAILED$/.test(line));
}
