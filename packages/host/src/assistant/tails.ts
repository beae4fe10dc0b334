import type { TurnChat } from 'patchbay-sdk';
import type { LedgerStore, StoredEvent } from '../ledger/index.ts';
import { isCommand } from './commands.ts';
import { isApart, type Received } from './message.ts';

/** Something that was said. */
export type Said = TurnChat['history'][number];

interface Entry extends Said {
  /** Its event. */
  readonly id: string;
}

/** How much of what was said before a turn is given. */
const mostMessages = 50;
const mostCharacters = 32 * 1024;
/** Of so many chats the end is kept at hand; that of others is read again. */
const mostChats = 1000;

/**
 * What was said last in each chat, in the order in which it was answered. Read from the ledger once, from its end: it costs the
 * same however long the chat is.
 */
export class Tails {
  readonly #ledger: Pick<LedgerStore, 'events'>;
  /** By chat, the one that was used longest ago first; undefined while it is being read. */
  readonly #tails = new Map<string, { entries: Entry[] | undefined }>();

  constructor(ledger: Pick<LedgerStore, 'events'>) {
    this.#ledger = ledger;
  }

  /** What was said before a message that is about to be answered. */
  async before(message: StoredEvent): Promise<readonly Said[]> {
    const { chat_jid } = message.payload as Received;
    const entries = await this.#entriesOf(chat_jid, message.seq);
    return entries.filter(({ id }) => id !== message.id).map(({ sender, text, is_bot }) => ({ sender, text, is_bot }));
  }

  /** Something was said; twice the same is once. */
  add(jid: string, id: string, said: Said): void {
    const tail = this.#tails.get(jid);
    if (tail === undefined) return;
    // It may or may not be in what is being read.
    if (tail.entries === undefined) this.#tails.delete(jid);
    else if (!tail.entries.some((entry) => entry.id === id)) tail.entries = bounded([...tail.entries, { ...said, id }]);
  }

  /** A chat was cleared. */
  clear(jid: string): void {
    this.#tails.delete(jid);
  }

  async #entriesOf(jid: string, beforeSeq: number): Promise<readonly Entry[]> {
    const known = this.#tails.get(jid);
    if (known?.entries !== undefined) {
      this.#tails.delete(jid);
      this.#tails.set(jid, known);
      return known.entries;
    }
    const tail: { entries: Entry[] | undefined } = { entries: undefined };
    this.#tails.set(jid, tail);
    const entries = await this.#read(jid, beforeSeq);
    if (this.#tails.get(jid) === tail) tail.entries = entries;
    for (const oldest of this.#tails.keys()) {
      if (this.#tails.size <= mostChats) break;
      this.#tails.delete(oldest);
    }
    return entries;
  }

  /** What came after the message that is answered now, and was not said by us, waits to be answered itself. */
  async #read(jid: string, beforeSeq: number): Promise<Entry[]> {
    const said: Received[] = [];
    const apart = new Set<string>();
    for await (const { seq, payload } of this.#ledger.events({ chat: jid, newestFirst: true })) {
      if (payload.event === 'chat:cleared' || said.length >= mostMessages) break;
      const message = payload as Received;
      if (!message.is_bot && seq >= beforeSeq) continue;
      if (isApart(message) || (!message.is_bot && isCommand(message.content))) apart.add(message.event_id);
      else said.push(message);
    }
    const heard = said.reverse().filter(({ answers }) => answers === undefined || !apart.has(answers));
    return bounded(inOrderOfAnswers(heard).map(entryOf));
  }
}

function entryOf({ event_id, sender_name, content, is_bot }: Received): Entry {
  return { id: event_id, sender: sender_name, text: content, is_bot };
}

/** Each message right before its answer: others may have come in between. */
function inOrderOfAnswers(said: readonly Received[]): Received[] {
  const answered = new Map(said.map((message) => [message.event_id, message]));
  const wanted = new Set(
    said.flatMap(({ answers }) => (answers !== undefined && answered.has(answers) ? [answers] : [])),
  );
  return said.flatMap((message) => {
    if (wanted.has(message.event_id)) return [];
    const question = message.answers === undefined ? undefined : answered.get(message.answers);
    return question === undefined ? [message] : [question, message];
  });
}

function bounded(entries: readonly Entry[]): Entry[] {
  let left = mostCharacters;
  const kept: Entry[] = [];
  for (const entry of entries.slice(-mostMessages).reverse()) {
    left -= entry.text.length;
    if (left < 0) break;
    kept.push(entry);
  }
  return kept.reverse();
}
