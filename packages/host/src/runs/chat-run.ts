import * as z from 'zod/mini';

/** Where the folders of workspaces are, in a project. */
export const workspacesFolder = 'workspaces';

const schema = z.object({
  jid: z.string(),
  /** The folder of the workspace. */
  workspace: z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i)),
  /** The event of the message. */
  message: z.string(),
  /** Whether the turn knows what was said before. */
  context: z.enum(['shared', 'isolated']),
  /** Whether it works in a worktree of the project's repository. */
  repo_access: z.boolean(),
});

/** What a run that answers a message is told, as `chat` of its inputs. */
export type ChatInputs = z.output<typeof schema>;

const prefix = 'chat-';

/** The id of the run that answers a message. */
export function chatRunId(uuid: string): string {
  return prefix + uuid;
}

/** Whether a run answers a message, and so is carried on by whoever looks after chats. */
export function isChatRun(run_id: string): boolean {
  return run_id.startsWith(prefix);
}

/** The chat that a run answers; undefined if it answers none. */
export function chatIn(inputs: Readonly<Record<string, unknown>>): ChatInputs | undefined {
  if (inputs['chat'] === undefined) return undefined;
  const { success, data } = schema.safeParse(inputs['chat']);
  return success ? data : undefined;
}
