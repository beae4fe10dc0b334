import { type ClientContext, type McpServer, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { problemOf, type TurnWork } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';
import { capabilities } from './client.ts';
import { promptOf } from './prompt.ts';
import type { Measured } from './result.ts';
import { toolServers } from './tools.ts';

// The SDK checks what an agent asks for, not what it answers.
const initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z
    .object({ mcpCapabilities: z.object({ http: z.boolean().optional() }).nullish() })
    .nullish()
    .catch(null),
});
const created = z.object({
  sessionId: z.string().min(1),
  modes: z.object({ availableModes: z.array(z.object({ id: z.string() })) }).nullish(),
});
const tokens = z.number().int().nonnegative();
const usage = z.object({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedReadTokens: tokens.nullish(),
  cachedWriteTokens: tokens.nullish(),
});
const prompted = z.object({ stopReason: z.string(), usage: usage.nullish().catch(null) });

/** Why an agent that stopped for this reason has not done its turn; reasons not listed are said as they are. */
const unfinished: Readonly<Record<string, string>> = {
  refusal: 'refused the turn',
  max_tokens: 'ran out of tokens before it was done',
  max_turn_requests: 'asked its model as often as it may before it was done',
  cancelled: 'cancelled the turn',
};

/** One session with an agent, in which it works on one turn. */
export class Session {
  readonly #agent: ClientContext;
  readonly #turn: TurnWork;
  #id: string | undefined;

  constructor(agent: ClientContext, turn: TurnWork) {
    this.#agent = agent;
    this.#turn = turn;
  }

  /** From the greeting until the agent has stopped; gives the tokens it used, if it tells. Throws if it did not get to its end. */
  async work(mode: string | undefined): Promise<Measured> {
    const takesHttp = await this.#greet();
    const sessionId = await this.#open(mode, await toolServers(this.#turn, takesHttp));
    this.#id = sessionId;
    const prompt = [{ type: 'text' as const, text: promptOf(this.#turn) }];
    const answer = await this.#agent.request(methods.agent.session.prompt, { sessionId, prompt });
    const { stopReason, usage } = checked(prompted, answer, 'session/prompt');
    if (stopReason !== 'end_turn') throw new Error(unfinished[stopReason] ?? `stopped by reason of "${stopReason}"`);
    return measured(usage);
  }

  /** Asks the agent to stop, if it was begun. Never throws and does not wait. */
  cancel(): void {
    if (this.#id === undefined) return;
    this.#agent.notify(methods.agent.session.cancel, { sessionId: this.#id }).catch(() => {});
  }

  /** Gives whether it can reach tools over HTTP. */
  async #greet(): Promise<boolean> {
    const greeting = {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: capabilities,
      clientInfo: { name: 'patchbay', version: '1.0.0' },
    };
    const answer = await this.#agent.request(methods.agent.initialize, greeting);
    const { protocolVersion, agentCapabilities } = checked(initialized, answer, 'initialize');
    if (protocolVersion === PROTOCOL_VERSION) return agentCapabilities?.mcpCapabilities?.http === true;
    throw new Error(`speaks version ${protocolVersion} of the Agent Client Protocol, not ${PROTOCOL_VERSION}`);
  }

  async #open(modeId: string | undefined, mcpServers: McpServer[]): Promise<string> {
    const wanted = { cwd: this.#turn.workspace, mcpServers };
    const answer = await this.#agent.request(methods.agent.session.new, wanted);
    const { sessionId, modes } = checked(created, answer, 'session/new');
    if (modeId === undefined) return sessionId;
    const known = modes?.availableModes.map(({ id }) => id) ?? [];
    if (!known.includes(modeId)) {
      throw new Error(`has no mode "${modeId}"${known.length === 0 ? '' : `; it has ${known.join(', ')}`}`);
    }
    await this.#agent.request(methods.agent.session.setMode, { sessionId, modeId });
    return sessionId;
  }
}

function checked<S extends z.ZodType>(schema: S, answer: unknown, method: string): z.output<S> {
  const problem = problemOf(schema, answer);
  if (problem !== undefined)
    throw new Error(`answered ${method} with something else than the protocol says: ${problem}`);
  return schema.parse(answer);
}

function measured(used: z.output<typeof usage> | null | undefined): Measured {
  if (used === null || used === undefined) return {};
  const { inputTokens, cachedReadTokens, cachedWriteTokens, outputTokens } = used;
  const input_tokens = inputTokens + (cachedReadTokens ?? 0) + (cachedWriteTokens ?? 0);
  return { input_tokens, output_tokens: outputTokens };
}
