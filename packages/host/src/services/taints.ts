import { createHash } from 'node:crypto';
import type { ToolTrait } from 'patchbay-sdk';
import type { LedgerStore } from '../ledger/index.ts';
import { type Recording, trace } from './record.ts';
import type { ToolUser } from './turn-tools.ts';

/** What a chat has seen, by the tools that were called in it. */
export interface Taint {
  readonly private: boolean;
  readonly untrusted: boolean;
}

const kinds = { private: 'reads-private', untrusted: 'reads-untrusted' } as const satisfies Record<
  keyof Taint,
  ToolTrait
>;
type Kind = keyof typeof kinds;

/** So many chats and runs are remembered; of others it is looked up again. */
const mostKnown = 10_000;

/**
 * What chats, and runs that answer none, have seen since they were last cleared. It is in the ledger under an id that follows from
 * whose it is, of which kind, and since when: found without reading anything else, and written once.
 */
export class Taints {
  readonly #ledger: Pick<LedgerStore, 'event'>;
  readonly #recording: Recording;
  readonly #known = new Map<string, boolean>();
  /** The place at which a chat was last cleared. */
  readonly #cleared = new Map<string, number>();

  constructor(ledger: Pick<LedgerStore, 'event'>, recording: Recording) {
    this.#ledger = ledger;
    this.#recording = recording;
  }

  /** Rejects if the ledger cannot be read. */
  async of(user: ToolUser): Promise<Taint> {
    const [privately, untrusted] = await Promise.all([this.#has(user, 'private'), this.#has(user, 'untrusted')]);
    return { private: privately, untrusted };
  }

  /** A tool of these traits has shown what it had to show. Rejects if that cannot be written down. */
  async add(user: ToolUser, traits: readonly ToolTrait[]): Promise<void> {
    const seen = (Object.keys(kinds) as Kind[]).filter((kind) => traits.includes(kinds[kind]));
    await Promise.all(seen.map((kind) => this.#note(user, kind)));
  }

  /** A chat was cleared, at this place of the ledger. */
  clear(chat_jid: string, place: number): void {
    this.#cleared.set(chat_jid, Math.max(this.#cleared.get(chat_jid) ?? 0, place));
  }

  async #has(user: ToolUser, kind: Kind): Promise<boolean> {
    const id = this.#idOf(user, kind);
    const has = this.#known.get(id) ?? (await this.#ledger.event(id)) !== undefined;
    this.#know(id, has);
    return has;
  }

  async #note(user: ToolUser, kind: Kind): Promise<void> {
    const event_id = this.#idOf(user, kind);
    if (this.#known.get(event_id) === true) return;
    const whose = user.chat_jid === null ? 'this run' : 'this chat';
    const summary = `${whose} has seen ${kind === 'private' ? 'private data' : 'content of others'}`;
    await trace(this.#recording, user, { event_id, type: 'taint', summary, data: { seen: kind } });
    this.#know(event_id, true);
  }

  #know(id: string, has: boolean): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= mostKnown && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(id, has);
  }

  #idOf({ chat_jid, run_id }: ToolUser, kind: Kind): string {
    const whose = chat_jid === null ? ['run', run_id] : ['chat', chat_jid, this.#cleared.get(chat_jid) ?? 0];
    const digest = createHash('sha256').update(JSON.stringify([...whose, kind]));
    return `taint-${digest.digest('hex').slice(0, 32)}`;
  }
}
