import { type AgentCore, messageOf, type Program, type TurnWork } from 'patchbay-sdk';
import { entryFile, entryFlags } from '../../sandbox/entry.ts';
import { corePackages, type PackageOptions } from './packages.ts';
import { sourcePlace } from './place.ts';
import { type CoreModule, calls, type FromCore, type ToCore, words } from './wire.ts';

/** A line longer than this is none of ours. */
const mostChars = 8 * 1024 * 1024;
/** The end of what it said last explains how it ended. */
const tailChars = 2_000;

/** A core that is a class of some module, run in the workspace of each turn; one that runs in the host stays as it is. */
export function withEnvironment(core: AgentCore, options: PackageOptions): AgentCore {
  const { module, name } = core;
  if (core.run !== undefined || module === undefined) return core;
  let ready: Promise<string> | undefined;
  const packages = () => {
    // What failed is tried again: a registry may be back.
    ready ??= corePackages(core, options).catch((error) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
  return {
    ...core,
    run: async (turn) => {
      const source = core.hostSourcePath ?? undefined;
      const where: CoreModule = {
        module,
        className: core.className,
        sources: source === undefined ? [] : [sourcePlace(name), source],
        packages: await packages(),
      };
      await play(name, where, turn);
    },
  };
}

async function play(name: string, begin: CoreModule, turn: TurnWork): Promise<void> {
  let said = '';
  const program = await turn.spawn([process.execPath, ...entryFlags, entryFile('core-main')], {
    onStderr: (text) => {
      said = (said + text).slice(-tailChars);
      for (const line of text.split('\n')) if (line !== '') turn.log(line);
    },
  });
  const tell = (message: ToCore) => program.write(`${JSON.stringify(message)}\n`);
  // One that has ended need not be told.
  const abort = () => void tell({ abort: true }).catch(() => undefined);
  turn.signal.addEventListener('abort', abort, { once: true });
  try {
    await tell({ begin, turn: factsOf(turn) });
    for await (const message of messagesOf(name, program)) {
      if ('done' in message) return;
      if ('threw' in message) throw new Error(`core "${name}": ${message.threw}`);
      if ('say' in message) say(turn, message);
      else if ('call' in message) answer(turn, message, tell);
    }
    const { exit_code, signal } = await program.ended();
    throw new Error(
      `core "${name}" ended with ${exit_code ?? signal} before it was done: ${said.trim() || 'it said nothing'}`,
    );
  } finally {
    turn.signal.removeEventListener('abort', abort);
    await program.stop();
  }
}

function factsOf(turn: TurnWork) {
  const { key, run_id, turn_id, attempt, phase, role, goal, reviews } = turn;
  const { bundle, workspace, result_file, writes, config, chat } = turn;
  return {
    ...{ key, run_id, turn_id, attempt, phase, role, goal, reviews },
    ...{ bundle, workspace, result_file, writes, config, chat },
  };
}

/** What it tells, until it has ended. Throws if that is nothing that we understand. */
async function* messagesOf(name: string, program: Program): AsyncGenerator<FromCore> {
  let begun = '';
  for (let text = await program.read(); text !== null; text = await program.read()) {
    const lines = (begun + text).split('\n');
    begun = lines.pop() ?? '';
    if (begun.length > mostChars) throw new Error(`core "${name}" sends more than ${mostChars} characters at once`);
    for (const line of lines) yield parsed(name, line);
  }
}

function parsed(name: string, line: string): FromCore {
  try {
    const message: unknown = JSON.parse(line);
    if (typeof message === 'object' && message !== null) return message as FromCore;
  } catch {
    // As if it were something else than an object.
  }
  throw new Error(`core "${name}" does not speak as it should: ${line.slice(0, 200)}`);
}

/** It is only said: nobody waits. What is nonsense is its own fault, and told as such. */
function say(turn: TurnWork, { say: word, args }: Extract<FromCore, { say: unknown }>): void {
  if (!words.includes(word) || !Array.isArray(args)) throw new Error(`a core cannot say "${word}"`);
  if (word === 'log') turn.log(String(args[0]));
  else if (word === 'trace') turn.trace(args[0] === 'thinking' ? 'thinking' : 'text', String(args[1]));
  else turn.spent(args[0]);
}

/** Has it answered, whenever that is; one that has ended by then needs no answer. */
function answer(
  turn: TurnWork,
  { call, what, args }: Extract<FromCore, { call: unknown }>,
  tell: (to: ToCore) => Promise<void>,
): void {
  const act = async () => {
    if (!calls.includes(what) || !Array.isArray(args)) throw new Error(`a core cannot ask for "${what}"`);
    if (what === 'tools') return turn.tools();
    if (what === 'mcp') return turn.mcp();
    if (what === 'mayWrite') return turn.mayWrite(String(args[0]));
    return turn.callTool(String(args[0]), inputOf(args[1]));
  };
  act()
    .then(
      (value) => tell({ answer: call, value }),
      (error) => tell({ failed: call, why: messageOf(error) }),
    )
    .catch(() => undefined);
}

function inputOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new Error('the input of a tool is an object');
}
