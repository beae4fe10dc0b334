import { addAbortListener } from 'node:events';
import { type LlmAnswer, type LlmRequest, messageOf, nearest, type TurnWork } from 'patchbay-sdk';
import { builtIn } from '../settings.ts';
import { checkedAnswer } from './answer.ts';

/** A provider of a plugin, which may do anything: what it does wrong is told under its name. */
export interface Provider {
  /** What people know it by. */
  readonly title: string;
  /** Asks the model. Rejects with an error that can be shown, at the latest when the turn is stopped. */
  ask(request: LlmRequest): Promise<LlmAnswer>;
}

/** The provider of this name. Rejects with those that there are if none has it, or several have. */
export async function providerNamed(turn: TurnWork, name: string): Promise<Provider> {
  const all = await turn.llmProviders();
  const [found, ...others] = all.filter((one) => one.name === name);
  if (found === undefined) {
    const known = [...builtIn, ...all.map((one) => one.name)];
    const near = nearest(name, known);
    const meant = near === undefined ? '' : `; did you mean "${near}"?`;
    throw new Error(`there is no provider "${name}", known are ${known.join(', ')}${meant}`);
  }
  if (others.length > 0) {
    // Whom the work is shown to is not left to the order in which plugins were loaded.
    const plugins = [found, ...others].map(({ plugin }) => plugin).join(', ');
    throw new Error(`there are several providers "${name}", of the plugins ${plugins}`);
  }
  const title = `provider "${name}" of plugin "${found.plugin}"`;
  // A copy, as one in a process of its own gets.
  const { signal } = turn;
  const generate = async (request: LlmRequest) =>
    checkedAnswer(await found.generate(structuredClone(request), { signal }));
  return { title, ask: (request) => unlessStopped(turn, title, () => generate(request)) };
}

/** It may not heed that the turn is over, nor be told: it is left alone with what it does then. */
async function unlessStopped<T>(turn: TurnWork, title: string, act: () => Promise<T>): Promise<T> {
  const { signal } = turn;
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  using _ = addAbortListener(signal, () => {
    turn.log(`${title} had not answered when the turn was stopped`);
    stopped.reject(signal.reason);
  });
  try {
    return await Promise.race([act(), stopped.promise]);
  } catch (error) {
    throw signal.aborted ? error : new Error(`${title} failed: ${messageOf(error)}`, { cause: error });
  }
}
