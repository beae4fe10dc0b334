import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Command as Commander, CommanderError } from 'commander';
// Not from the SDK's main entry: the tables there would be loaded to print a version.
import { messageOf, PatchbayError } from 'patchbay-sdk/errors';
import packageJson from '../package.json' with { type: 'json' };
import type { Command, Output, Stream } from './command.ts';
import { commands } from './commands.ts';

const { version } = packageJson;
const wantsJson = process.argv.includes('--json');

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
});
// What plugins print is for people; standard output belongs to the command.
Object.assign(console, { log: console.error, info: console.error, debug: console.error });
// Nobody reads the progress any more; the work, and what it has to clean up, goes on.
process.stderr.on('error', () => {});
// That Node calls something experimental is for whoever wrote this, not for whoever runs it.
const warn = process.listeners('warning');
process.removeAllListeners('warning').on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') for (const tell of warn) tell(warning);
});

async function print(output: Output | Stream): Promise<void> {
  if ('lines' in output) {
    for await (const line of output.lines) await print(line);
    return;
  }
  const taken = process.stdout.write(wantsJson ? `${JSON.stringify(output.json)}\n` : `${output.text}\n`);
  if (!taken) await once(process.stdout, 'drain');
  process.exitCode ??= output.exitCode ?? 0;
}

/** The first Ctrl-C ends what is under way in good order, the second at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.exitCode = 130;
      controller.abort();
    });
  }
  return controller.signal;
}

function printError(thrown: unknown): void {
  const error =
    thrown instanceof PatchbayError ? thrown : new PatchbayError('INTERNAL', messageOf(thrown), { cause: thrown });
  if (wantsJson) process.stdout.write(`${JSON.stringify({ error })}\n`);
  else process.stderr.write(`error ${error.code}: ${error.message}; ${error.hint}\n`);
  if (error.code === 'INTERNAL' && !wantsJson) process.stderr.write(`${(thrown as Error)?.stack ?? ''}\n`);
  process.exitCode = error.exitCode;
}

/** Adds a command below its words, making the groups on the way. */
function add(program: Commander, { usage, summary, options = [], example, load }: Command): void {
  const words = usage.split(' ');
  const named = namesIn(usage);
  const group = named.slice(0, -1).reduce((parent, word) => {
    return parent.commands.find((known) => known.name() === word) ?? quiet(parent.command(word));
  }, program);
  const command = quiet(group.command([named.at(-1), ...words.slice(named.length)].join(' ')));
  runnable.add(command);
  command
    .description(summary)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExample:\n  ${example}`);
  for (const [flags, description] of options) command.option(flags, description);
  command.action(async (...given: unknown[]) => {
    const globals = command.optsWithGlobals<{ cwd?: string }>();
    const { run } = await load();
    await print(
      await run({
        args: command.args,
        options: given.at(-2) as Record<string, unknown>,
        cwd: folder(globals.cwd),
        json: wantsJson,
        version,
        signal: interruption(),
        progress: wantsJson ? () => {} : (line) => void process.stderr.write(`${line}\n`),
      }),
    );
  });
}

function folder(cwd: string | undefined): string {
  if (cwd === undefined) return process.cwd();
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return cwd;
  throw new PatchbayError('USAGE', `--cwd ${cwd}: there is no such folder`, { file: cwd });
}

/** The words of a usage that stand for themselves. */
function namesIn(usage: string): string[] {
  return usage.split(' ').filter((word) => !/^[<[]/.test(word));
}

/**
 * The commands that a line can be about: the one it names, else those that begin with the same word, else all. To tell
 * commander of all of them takes longer than many of them take to run.
 */
function concerned(line: readonly string[]): readonly Command[] {
  const named = commands.find(({ usage }) => {
    const names = namesIn(usage);
    return names.length > 1 && names.every((name, i) => name === line[i]);
  });
  if (named !== undefined) return [named];
  const related = commands.filter(({ usage }) => namesIn(usage)[0] === line[0]);
  return related.length > 0 ? related : commands;
}

/** Those that do something; others only hold some. */
const runnable = new WeakSet<Commander>();

/** All commands, not the groups they stand in. */
function leaves(command: Commander): Commander[] {
  return command.commands.flatMap((child) => [...(runnable.has(child) ? [child] : []), ...leaves(child)]);
}

/** The words of a command and its arguments. */
function term(command: Commander): string {
  const words: string[] = [];
  for (let at: Commander | null = command; at?.parent; at = at.parent) words.unshift(at.name());
  const args = command.registeredArguments.map((arg) => (arg.required ? `<${arg.name()}>` : `[${arg.name()}]`));
  return [...words, ...args].join(' ');
}

/** Errors are ours to print. */
function quiet(command: Commander): Commander {
  return command.exitOverride().configureOutput({ writeErr: () => {} });
}

function usage(program: Commander, thrown: CommanderError): PatchbayError {
  if (thrown.code !== 'commander.help') {
    return new PatchbayError('USAGE', thrown.message.replace(/^error: /, '').replaceAll('\n', ' '));
  }
  const [first, second] = program.args;
  if (first === 'help') return new PatchbayError('USAGE', `unknown command '${second}'`);
  const group = program.commands.find((command) => command.name() === first) ?? program;
  const known = group.commands.map((command) => command.name()).join(', ');
  return new PatchbayError('USAGE', `"${['patchbay', ...program.args].join(' ')}" needs one of its commands: ${known}`);
}

async function main(): Promise<void> {
  const program = quiet(new Commander('patchbay'))
    .description('A host for AI agents in which everything is a plugin')
    .version(version)
    .option('--cwd <folder>', 'work in this folder')
    .option('--json', 'print one JSON document')
    .configureHelp({ visibleCommands: leaves, subcommandTerm: term })
    .addHelpText('after', '\nExample:\n  patchbay demo');
  for (const command of concerned(process.argv.slice(2))) add(program, command);
  if (process.argv.length === 2) return program.outputHelp();
  try {
    await program.parseAsync();
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) printError(thrown);
    else if (thrown.exitCode !== 0) printError(usage(program, thrown));
  }
}

// Not awaited at the top level: some of the commands are built as scripts, which know no such thing.
main().then(() => {
  // Plugins may have left timers and connections behind; what was printed must get out first.
  process.stdout.write('', () => process.exit());
});
