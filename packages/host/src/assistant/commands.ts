import { messageOf } from 'patchbay-sdk';
import type { AssistantWorkspace } from '../config/assistant-settings.ts';

/** A call of a tool that waits for a person. */
export interface PendingCall {
  readonly approval_id: string;
  readonly tool: string;
  readonly workspace: string | null;
}

/** Where people decide about calls of tools. */
export interface Approvals {
  pending(): readonly PendingCall[] | Promise<readonly PendingCall[]>;
  /** Throws if it is not pending any more. */
  decide(
    approval_id: string,
    vote: { readonly decision: 'approved' | 'refused'; readonly by: string; readonly comment: string | null },
  ): Promise<unknown>;
}

const pattern = /^\/(approve|deny|pending|clear)(?:\s+(\S+))?(?:\s+([\s\S]+?))?\s*$/i;

/** Whether a message is for the host rather than for the assistant. */
export function isCommand(content: string): boolean {
  return pattern.test(content);
}

/** What a command is carried out with. */
export interface CommandParts {
  readonly workspace: AssistantWorkspace;
  /** Who gives it. */
  readonly by: string;
  readonly approvals: Approvals | undefined;
  readonly clear: () => Promise<void>;
}

/** Does what a command says; gives what to answer. Never rejects. */
export async function obey(content: string, parts: CommandParts): Promise<string> {
  const [, verb = '', id, why] = pattern.exec(content) ?? [];
  try {
    switch (verb.toLowerCase()) {
      case 'approve':
        return await decided(parts, 'approved', id, why);
      case 'deny':
        return await decided(parts, 'refused', id, why);
      case 'clear':
        await parts.clear();
        return 'Cleared: what was said before is forgotten.';
      default:
        return listing(await pendingIn(parts));
    }
  } catch (error) {
    return messageOf(error);
  }
}

/** What is asked of a workspace can be decided in its own chats only. */
async function pendingIn({ approvals, workspace }: CommandParts): Promise<readonly PendingCall[]> {
  const all = (await approvals?.pending()) ?? [];
  return all.filter((call) => call.workspace === workspace.folder);
}

async function decided(
  parts: CommandParts,
  decision: 'approved' | 'refused',
  id: string | undefined,
  why: string | undefined,
): Promise<string> {
  const pending = await pendingIn(parts);
  const named = pending.filter(({ approval_id }) => approval_id === id);
  // One that waits alone need not be named: what stands in its place is the reason.
  const [call] =
    named.length > 0 || pending.length !== 1 || (id !== undefined && decision === 'approved') ? named : pending;
  if (call === undefined)
    return id === undefined && pending.length > 0
      ? listing(pending)
      : `Nothing waits under that name. ${listing(pending)}`;
  const comment = named.length > 0 ? (why ?? null) : [id, why].filter((word) => word !== undefined).join(' ') || null;
  await parts.approvals?.decide(call.approval_id, { decision, by: parts.by, comment });
  return `${call.tool} (${call.approval_id}) was ${decision}.`;
}

function listing(pending: readonly PendingCall[]): string {
  if (pending.length === 0) return 'Nothing waits for a decision.';
  return ['These wait for a decision:', ...pending.map(({ approval_id, tool }) => `${approval_id}  ${tool}`)].join(
    '\n',
  );
}
