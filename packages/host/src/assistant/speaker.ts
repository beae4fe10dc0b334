import { type Appended, type LedgerStore, newEvent, type Owed } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { channelQueue } from './queues.ts';
import type { Tails } from './tails.ts';

/** What is said with. */
export interface SpeakerParts {
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly emitter: Pick<Emitter, 'owes'>;
  readonly tails: Tails;
  /** How the assistant calls itself. */
  readonly name: string;
  /** The channel that is to send what is said in a chat; null if none needs to. */
  readonly ownerOf: (jid: string) => Promise<string | null>;
}

/** Something that is to be said. */
export interface Saying {
  readonly jid: string;
  readonly text: string;
  /** The folder of the workspace whose chat it is; null if it is nobody's. */
  readonly workspace: string | null;
  /** The same one is said once. @default it is new */
  readonly event_id?: string;
  /** The event that it answers. */
  readonly answers?: string;
  /** Whether the chat is to know nothing of it later. @default false */
  readonly isApart?: boolean;
}

/** Says things in chats: they are written down, together with what their channel owes for that. */
export class Speaker {
  readonly #parts: SpeakerParts;

  constructor(parts: SpeakerParts) {
    this.#parts = parts;
  }

  /** Durable when it resolves. */
  async say({ jid, text, workspace, event_id, answers, isApart = false }: Saying): Promise<Appended> {
    const { ledger, emitter, tails, name, ownerOf } = this.#parts;
    const channel = await ownerOf(jid);
    const event = newEvent('message:sent', {
      ...(event_id === undefined ? {} : { event_id }),
      chat_jid: jid,
      sender_name: name,
      content: text,
      timestamp: new Date().toISOString(),
      is_bot: true,
      ...(workspace === null ? {} : { workspace }),
      ...(answers === undefined ? {} : { answers }),
    });
    const owed: Owed[] = channel === null ? [] : [{ plugin: channelQueue(channel), handler: jid, awaited: true }];
    const appended = await ledger.append(event, [...owed, ...emitter.owes('message:sent')]);
    if (!isApart) tails.add(jid, event.event_id, { sender: name, text, is_bot: true });
    return appended;
  }
}
