import type { AssistantWorkspace } from '../config/assistant-settings.ts';
import { terminalChat, terminalFolder } from './terminal.ts';

/** Which chat is whose. */
export class Directory {
  readonly #workspaces: () => readonly AssistantWorkspace[];
  #known: readonly AssistantWorkspace[] = [];
  #byFolder = new Map<string, AssistantWorkspace>();
  #byChat = new Map<string, AssistantWorkspace>();

  constructor(workspaces: () => readonly AssistantWorkspace[]) {
    this.#workspaces = workspaces;
  }

  get all(): readonly AssistantWorkspace[] {
    return this.#workspaces();
  }

  ofFolder(folder: string): AssistantWorkspace | undefined {
    this.#look();
    return this.#byFolder.get(folder);
  }

  /** Of two that have the same chat, the first. Every workspace has the chat of the terminal. */
  ofChat(jid: string): AssistantWorkspace | undefined {
    this.#look();
    const own = this.#byChat.get(jid);
    const folder = own === undefined ? terminalFolder(jid) : undefined;
    return own ?? (folder === undefined ? undefined : this.#byFolder.get(folder));
  }

  /** As channels are told of them. */
  groups(): Record<string, { readonly folder: string; readonly name: string }> {
    this.#look();
    return Object.fromEntries([...this.#byChat].map(([jid, { folder, name }]) => [jid, { folder, name }]));
  }

  /** All chats of a workspace. */
  chatsOf({ folder, chats }: AssistantWorkspace): readonly string[] {
    return [...new Set([...chats, terminalChat(folder)])];
  }

  #look(): void {
    const now = this.#workspaces();
    if (now === this.#known) return;
    this.#known = now;
    this.#byFolder = new Map(now.map((workspace) => [workspace.folder, workspace]));
    this.#byChat = new Map(now.toReversed().flatMap((workspace) => workspace.chats.map((jid) => [jid, workspace])));
  }
}

/** Whether somebody may speak in a workspace. Whoever is at the terminal has shown that they are the operator. */
export function maySpeak({ senders }: AssistantWorkspace, jid: string, sender: string): boolean {
  return senders === null || senders.includes(sender) || terminalFolder(jid) !== undefined;
}
