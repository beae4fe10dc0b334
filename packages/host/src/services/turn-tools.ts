import type { McpAccess, ServiceResponse, ToolInfo } from 'patchbay-sdk';

/** A turn that calls tools: what its calls are bound to. */
export interface ToolUser {
  /** The same whenever this attempt is worked on. */
  readonly key: string;
  readonly run_id: string;
  readonly turn_id: string;
  readonly role: string;
  /** The folder of the workspace; null for a turn that is in none. */
  readonly workspace: string | null;
  readonly chat_jid: string | null;
  /** The folder of the attempt, which its programs can write to. */
  readonly dir: string;
  /** Aborted when the turn is over. */
  readonly signal: AbortSignal;
}

/** The tools of one turn. */
export interface TurnTools {
  /** Never rejects. */
  list(): Promise<readonly ToolInfo[]>;
  /** Never rejects. */
  call(name: string, input: Readonly<Record<string, unknown>>): Promise<ServiceResponse>;
  /** Begins to serve them on the first call. */
  mcp(): Promise<McpAccess>;
  /** Ends what is under way. Never rejects. */
  close(): Promise<void>;
}

/** Gives a turn its tools. */
export type OpenTurnTools = (user: ToolUser) => TurnTools;

/** What the socket is called on which a turn reaches its tools, in the folder of its attempt. */
export const socketName = 'mcp.sock';
