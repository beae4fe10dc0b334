import type {
  AgentCapabilities,
  AgentContext,
  McpServer,
  NewSessionResponse,
  PromptResponse,
  RequestPermissionRequest,
  SessionUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';

/** What a scene has to play with. */
export interface Stage {
  readonly client: AgentContext;
  readonly prompt: string;
  readonly resultFile: string;
  /** Where it reaches tools. */
  readonly mcpServers: readonly McpServer[];
  /** Resolves when the session is cancelled. */
  readonly cancelled: Promise<void>;
}

/** One way for an agent to behave. */
export interface Scene {
  /** Done before it speaks the protocol. */
  start?(): void;
  readonly version?: number;
  readonly capabilities?: AgentCapabilities;
  readonly session?: NewSessionResponse;
  play(stage: Stage): Promise<PromptResponse & { usage?: unknown }>;
}

/** Said by agents that have done what they were asked for. */
export const done = { stopReason: 'end_turn' } as const;

/** Tells the client something. */
export function tell({ client }: Stage, update: SessionUpdate): Promise<void> {
  return client.notify(methods.client.session.update, { sessionId: 'session', update });
}

/** Says something. */
export function say(stage: Stage, text: string): Promise<void> {
  return tell(stage, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

/** Has the client write a file; gives what it is told if that is refused. */
export async function write({ client }: Stage, path: string, content: string): Promise<string> {
  return client
    .request(methods.client.fs.writeTextFile, { sessionId: 'session', path, content })
    .then(() => 'ok', messageOf);
}

/** Has the client read a file; gives what it is told if that is refused. */
export async function read({ client }: Stage, path: string, line?: number, limit?: number): Promise<string> {
  const part = { ...(line === undefined ? {} : { line }), ...(limit === undefined ? {} : { limit }) };
  return client
    .request(methods.client.fs.readTextFile, { sessionId: 'session', path, ...part })
    .then(({ content }) => content, messageOf);
}

/** Asks whether it may use a tool; gives the chosen option. */
export async function ask({ client }: Stage, kind: ToolKind, ...paths: string[]): Promise<string> {
  const request: RequestPermissionRequest = {
    sessionId: 'session',
    toolCall: {
      toolCallId: `${kind} ${paths}`,
      title: `${kind} ${paths}`,
      kind,
      locations: paths.map((path) => ({ path })),
    },
    options: [
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  };
  const { outcome } = await client.request(methods.client.session.requestPermission, request);
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}
