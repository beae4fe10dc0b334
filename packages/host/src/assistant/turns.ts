import type { TurnChat } from 'patchbay-sdk';
import { chatIn } from '../runs/chat-run.ts';
import type { RunState, Turn } from '../runs/state.ts';

type Hear = (chat: TurnChat, state: RunState, turn: Turn, kind: string, text: string) => void;

/**
 * What turns know of the chats that they answer, and how chats hear of turns. Made before the runs are, which need it; whoever
 * looks after the chats comes later.
 */
export class ChatTurns {
  /** By run. */
  readonly #chats = new Map<string, TurnChat>();
  #hear: Hear = () => {};

  /** Hears what agents show of themselves while they answer a chat. */
  attach(hear: Hear): void {
    this.#hear = hear;
  }

  /** A run is about to answer this. */
  begin(run_id: string, chat: TurnChat): void {
    this.#chats.set(run_id, chat);
  }

  /** It has. */
  end(run_id: string): void {
    this.#chats.delete(run_id);
  }

  /** See `Tools.chatOf`. */
  readonly chatOf = (state: RunState): TurnChat | null => {
    const begun = this.#chats.get(state.run_id);
    if (begun !== undefined) return begun;
    const chat = chatIn(state.inputs);
    return chat === undefined ? null : { jid: chat.jid, workspace: chat.workspace, history: [] };
  };

  /** See `Tools.trace`. */
  readonly trace = (state: RunState, turn: Turn, kind: string, text: string): void => {
    const chat = this.chatOf(state);
    if (chat !== null) this.#hear(chat, state, turn, kind, text);
  };
}
