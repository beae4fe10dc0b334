import { RequestError } from '@agentclientprotocol/sdk';
import { messageOf, type TurnWork } from 'patchbay-sdk';
import { type ClientParts, clientOf } from './client.ts';
import { BoundedLog, shortened } from './log.ts';
import { AgentProcess } from './process.ts';
import { handIn, type Measured } from './result.ts';
import { Scope } from './scope.ts';
import { Session } from './session.ts';
import { type Settings, settingsOf } from './settings.ts';
import { Transcript } from './transcript.ts';
import { withoutUpdates } from './update.ts';

/** How long an agent may take to stop once it was asked to; then it is ended. */
const cancelMs = 1000;

/** Has an agent work on a turn: starts it, talks with it, ends it, and sees that its result is in its file. */
export async function play(turn: TurnWork): Promise<void> {
  const settings = settingsOf(turn);
  turn.signal.throwIfAborted();
  const log = new BoundedLog((line) => turn.log(line));
  const transcript = new Transcript(log);
  const { command, exec } = settings;
  const onStderr = (line: string) => log.line(`stderr: ${line}`);
  const scope = new Scope(turn);
  const agent = await AgentProcess.start(turn, command, onStderr);
  const used = await converse(settings, agent, { turn, scope, transcript, log, exec }).finally(() => agent.stop());
  handIn(turn, transcript.text, { ...used, usd: transcript.usd });
}

async function converse(
  { mode, command: [program] }: Settings,
  agent: AgentProcess,
  parts: ClientParts,
): Promise<Measured> {
  const { turn, transcript } = parts;
  const stream = withoutUpdates(agent.stream, (update) => transcript.take(update));
  const connection = clientOf(parts).connect(stream);
  try {
    const session = new Session(connection.agent, turn);
    return await unlessStopped(turn.signal, session.work(mode), () => session.cancel());
  } catch (error) {
    if (turn.signal.aborted) throw new Error(`${program} was stopped`, { cause: error });
    if (connection.signal.aborted) throw await agent.explain(error);
    throw new Error(`${program}: ${wordsOf(error)}`, { cause: error });
  } finally {
    transcript.end();
    connection.close();
  }
}

/** Waits for the work; once the signal is aborted, only until the agent had time to stop by itself. Then it has failed either way. */
async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>, cancel: () => void): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    cancel();
    timer = setTimeout(() => stopped.reject(signal.reason), cancelMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const done = await Promise.race([work, stopped.promise]);
    signal.throwIfAborted();
    return done;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** What an agent says went wrong; many say it in the data of a message that says nothing. */
function wordsOf(error: unknown): string {
  if (!(error instanceof RequestError) || error.data === undefined) return messageOf(error);
  return `${error.message}: ${shortened(JSON.stringify(error.data))}`;
}
