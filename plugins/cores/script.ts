import { definePlugin, type ProgramEnd, type TurnWork } from 'patchbay-sdk';
import { Lines } from './lines.ts';

/** What a role may set for this core. */
interface Settings {
  /** The program and its arguments; a path that begins with `./` is one in the workspace. */
  readonly command?: unknown;
  /** How long it may print nothing, such as `5m`; the host ends it then. */
  readonly silence?: unknown;
}

/** Plays a role by any program: the bundle in, the result file out, exit 0. */
export const scriptCore = definePlugin({
  name: 'core-script',
  version: '1.0.0',
  provides: { agentCore: () => ({ name: 'script', run }) },
});

async function run(turn: TurnWork): Promise<void> {
  const { command, silence } = turn.config as Settings;
  if (!Array.isArray(command) || command.length === 0 || !command.every((word) => typeof word === 'string')) {
    throw new Error(`role "${turn.role}" needs "with: { command: [program, argument…] }" for the core "script"`);
  }
  const end = await executed(turn, command);
  if (end.silent) throw new Error(`${command[0]} was ended: it printed nothing for ${silence}`);
  if (end.timed_out) throw new Error(`${command[0]} took longer than it may`);
  if (end.signal !== null) throw new Error(`${command[0]} was ended by ${end.signal}`);
  if (end.exit_code !== 0) {
    const why = end.stderr.trim().split('\n').slice(-3).join(' ');
    throw new Error(`${command[0]} exited with ${end.exit_code}${why === '' ? '' : `: ${why}`}`);
  }
}

/** Runs the program; what it prints is told line by line, as it comes. */
async function executed(turn: TurnWork, command: readonly string[]): Promise<ProgramEnd> {
  const tell = (lines: string) => turn.log(lines);
  const streams = { stdout: new Lines(tell), stderr: new Lines(tell) };
  const end = await turn.exec(command, {
    env: contract(turn),
    onOutput: ({ stream, text }) => streams[stream].add(text),
  });
  streams.stdout.end();
  streams.stderr.end();
  return end;
}

/** The variables by which the program knows its turn. */
function contract(turn: TurnWork): Record<string, string> {
  return {
    PATCHBAY_KEY: turn.key,
    PATCHBAY_RUN_ID: turn.run_id,
    PATCHBAY_TURN_ID: turn.turn_id,
    PATCHBAY_ATTEMPT: String(turn.attempt),
    PATCHBAY_ROLE: turn.role,
    PATCHBAY_PHASE: turn.phase,
    PATCHBAY_GOAL: turn.goal,
    PATCHBAY_REVIEWS: turn.reviews ?? '',
    PATCHBAY_BUNDLE: turn.bundle,
    PATCHBAY_WORKSPACE: turn.workspace,
    PATCHBAY_RESULT: turn.result_file,
  };
}
