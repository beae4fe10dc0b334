import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from 'patchbay-sdk';
import type { Delivery, LedgerStore, StoredEvent } from '../ledger/index.ts';
import type { ChannelLink } from './channel-link.ts';
import type { Received } from './message.ts';
import { channelOf, channelQueue } from './queues.ts';

type Due = { readonly delivery: Delivery; readonly event: StoredEvent };

/** What a postbox is made with. */
export interface PostboxParts {
  readonly ledger: LedgerStore;
  readonly link: (channel: string) => ChannelLink | undefined;
  /** How the assistant calls itself. */
  readonly name: string;
  /** Hears of what was given up. */
  readonly failed: (due: Due, message: string) => Promise<void>;
  /** Hears what went wrong with a chat, when it begins to. */
  readonly warn: (message: string) => void;
  /** How long to leave a chat alone that failed so often. @default twice as long every time, from 1 s to 5 min, with chance */
  readonly backoffMs?: (failures: number) => number;
  /** @default the clock */
  readonly now?: () => number;
}

/** So much of what a channel is owed is looked at, at a time. */
const page = 256;
/** So many chats of one channel are served at once. */
const atOnce = 8;
/** What could not be sent for so long is given up. */
const oldestMs = 24 * 3_600_000;
/** How often it is looked whether what waits for a channel that is away has grown too old. */
const lookMs = 600_000;
/** How long what is under way is waited for when the host goes. */
const closeMs = 2000;

/** What a channel is owed. */
interface Box {
  running: Promise<void> | undefined;
  woken: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Whether something was left when it was last looked. */
  isOwed: boolean;
  /** Chats that failed: how often in a row, and until when they are left alone. */
  readonly failing: Map<string, { readonly failures: number; readonly until: number }>;
}

/**
 * Sends what was said through the channels: in each chat one after the other, again until it is taken, a day long. A channel that
 * hangs or fails delays itself only, a chat that does the chats after it in no way. What is to be sent is in the ledger.
 */
export class Postbox {
  readonly #parts: PostboxParts;
  readonly #boxes = new Map<string, Box>();
  #unhear: readonly (() => void)[] = [];
  #closed = false;

  constructor(parts: PostboxParts) {
    this.#parts = parts;
  }

  /** Goes on with what was left. */
  async start(): Promise<void> {
    const { ledger } = this.#parts;
    this.#unhear = [
      ledger.on('appended', ({ deliveries }) => {
        for (const { plugin, event } of deliveries) if (event === 'message:sent') this.#wakeQueue(plugin);
      }),
      ledger.on('replayed', ({ plugin }) => this.#wakeQueue(plugin)),
    ];
    for (const { plugin } of await ledger.owedPlugins()) this.#wakeQueue(plugin);
  }

  /** A channel may have something to send, or can send now. */
  wake(channel: string): void {
    if (this.#closed) return;
    const box = this.#boxOf(channel);
    box.woken = true;
    box.running ??= this.#run(channel, box);
  }

  /** Sends nothing more, and waits for what is under way, a while. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const off of this.#unhear) off();
    for (const { timer } of this.#boxes.values()) clearTimeout(timer);
    const running = [...this.#boxes.values()].map((box) => box.running);
    await Promise.race([Promise.all(running), sleep(closeMs, undefined, { ref: false })]);
  }

  #wakeQueue(queue: string): void {
    const channel = channelOf(queue);
    if (channel !== undefined) this.wake(channel);
  }

  #boxOf(channel: string): Box {
    let box = this.#boxes.get(channel);
    if (box === undefined) {
      box = { running: undefined, woken: false, timer: undefined, isOwed: false, failing: new Map() };
      this.#boxes.set(channel, box);
    }
    return box;
  }

  async #run(channel: string, box: Box): Promise<void> {
    clearTimeout(box.timer);
    try {
      while (box.woken && !this.#closed) {
        box.woken = false;
        await this.#sendAll(channel, box);
      }
    } catch (error) {
      process.emitWarning(`what channel "${channel}" owes could not be sent: ${messageOf(error)}`, 'PatchbayWarning');
      this.#wakeIn(channel, box, this.#backoffMs(1));
    } finally {
      box.running = undefined;
    }
    this.#waitForFailing(channel, box);
  }

  /** One look at all that the channel is owed, in pages. */
  async #sendAll(channel: string, box: Box): Promise<void> {
    const seen = new Set<string>();
    const stopped = new Set<string>();
    let after: string | undefined;
    for (;;) {
      const link = this.#parts.link(channel);
      const wanted = { limit: page, ...(after === undefined ? {} : { after }) };
      const dues = await this.#parts.ledger.owed(channelQueue(channel), wanted);
      const chats = Map.groupBy(dues, ({ delivery }) => delivery.handler);
      await eachOf([...chats], atOnce, async ([jid, its]) => {
        seen.add(jid);
        // What comes after one that failed waits for it.
        if (!stopped.has(jid) && !(await this.#sendChat(link, box, jid, its))) stopped.add(jid);
      });
      after = dues.at(-1)?.delivery.id;
      if (this.#closed) return;
      if (dues.length < page) break;
    }
    box.isOwed = stopped.size > 0;
    for (const jid of box.failing.keys()) if (!seen.has(jid)) box.failing.delete(jid);
  }

  /** In order; false if one of them is to be tried again later. */
  async #sendChat(link: ChannelLink | undefined, box: Box, jid: string, dues: readonly Due[]): Promise<boolean> {
    for (const due of dues) {
      const failing = box.failing.get(jid);
      const isLeft = failing !== undefined && failing.until > this.#now();
      if (this.#closed || isLeft) return false;
      const isOld = this.#now() - Date.parse(due.event.at) > oldestMs;
      // A channel that is away, or not there at all, is waited for.
      if (link?.isUp !== true && !isOld) return false;
      const problem = link?.isUp === true ? await this.#send(link, jid, due) : 'the channel was not there';
      if (problem === undefined) box.failing.delete(jid);
      else if (isOld) await this.#giveUp(due, `given up after a day: ${problem}`);
      else {
        const failures = (failing?.failures ?? 0) + 1;
        if (failures === 1) this.#parts.warn(`what was said in ${jid} is not sent yet: ${problem}`);
        box.failing.set(jid, { failures, until: this.#now() + this.#backoffMs(failures) });
        return false;
      }
    }
    return true;
  }

  /** What went wrong; undefined if nothing did. */
  async #send(link: ChannelLink, jid: string, { delivery, event }: Due): Promise<string | undefined> {
    const { content, answers } = event.payload as Received & { readonly answers?: string };
    const start = performance.now();
    try {
      const about = answers === undefined ? {} : await this.#answered(answers);
      await link.send(jid, link.isPrefixed ? `${this.#parts.name}: ${content}` : content, about);
    } catch (error) {
      return messageOf(error);
    }
    const duration_ms = Math.round((performance.now() - start) * 1000) / 1000;
    await this.#parts.ledger.settle(delivery.id, { status: 'ok', attempts: 1, duration_ms });
    return undefined;
  }

  /** What the channel called the message that is answered. */
  async #answered(event_id: string): Promise<{ readonly answers?: string }> {
    const answered = (await this.#parts.ledger.event(event_id))?.payload as Partial<Received> | undefined;
    return answered?.message_id === undefined ? {} : { answers: answered.message_id };
  }

  async #giveUp(due: Due, message: string): Promise<void> {
    await this.#parts.ledger.settle(due.delivery.id, { status: 'failed', message: message.slice(0, 4096) });
    await this.#parts.failed(due, message);
  }

  #waitForFailing(channel: string, box: Box): void {
    const times = [...box.failing.values()].map(({ until }) => until);
    const isUp = this.#parts.link(channel)?.isUp === true;
    if (isUp && times.length > 0) this.#wakeIn(channel, box, Math.max(10, Math.min(...times) - this.#now()));
    // It wakes us when it is there; should it never be, what is owed grows old.
    else if (!isUp && box.isOwed) this.#wakeIn(channel, box, lookMs);
  }

  #wakeIn(channel: string, box: Box, ms: number): void {
    if (this.#closed) return;
    clearTimeout(box.timer);
    box.timer = setTimeout(() => this.wake(channel), ms).unref();
  }

  #backoffMs(failures: number): number {
    const most = Math.min(1000 * 2 ** (failures - 1), 300_000);
    return this.#parts.backoffMs?.(failures) ?? most * (0.5 + Math.random() / 2);
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now();
  }
}

/** Does something with each, so many at once. */
async function eachOf<T>(items: readonly T[], most: number, act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
}
