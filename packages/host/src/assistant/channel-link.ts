import { type Channel, messageOf, PatchbayError } from 'patchbay-sdk';
import { inTime, Late } from '../capabilities/in-time.ts';

/** How long each member of a channel may take to answer. */
const answerMs = {
  connect: 60_000,
  disconnect: 5_000,
  isConnected: 5_000,
  ownsJid: 2_000,
  sendMessage: 30_000,
  setTyping: 5_000,
};
type Member = keyof typeof answerMs;

/** What a link hears, and how it waits. */
export interface LinkParts {
  readonly channel: Channel;
  /** The plugin that it is of. */
  readonly plugin: string;
  /** It is connected: what waits can be sent. */
  readonly connected: () => void;
  /** Hears what goes wrong. */
  readonly problem: (error: PatchbayError) => void;
  /** How long to wait after so many failures in a row. @default twice as long every time, from 1 s to 5 min, with chance */
  readonly backoffMs?: (failures: number) => number;
}

/** One channel: connected, and connected again when it no longer is. Whatever its plugin does, a call ends in time. */
export class ChannelLink {
  readonly #parts: LinkParts;
  #state: 'down' | 'connecting' | 'up' | 'closed' = 'down';
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #typing = false;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.channel.name;
  }

  get plugin(): string {
    return this.#parts.plugin;
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** Whether the assistant's name is put before what is sent. */
  get isPrefixed(): boolean {
    return this.#parts.channel.prefixAssistantName !== false;
  }

  /** Connects, and goes on trying until it has. */
  connect(): void {
    if (this.#state !== 'down') return;
    this.#state = 'connecting';
    clearTimeout(this.#timer);
    this.#call('connect').then(
      () => {
        if (this.#state !== 'connecting') return;
        this.#state = 'up';
        this.#failures = 0;
        this.#parts.connected();
      },
      (error) => this.#lost(error),
    );
  }

  /** Looks whether it still is connected; if not, connects again. */
  async look(): Promise<void> {
    if (this.#state !== 'up' || this.#looking) return;
    this.#looking = true;
    try {
      const is = await this.#call('isConnected');
      if (is !== true && this.#state === 'up') this.#lost(new Error('is not connected any more'));
    } catch (error) {
      this.#parts.problem(error as PatchbayError);
    } finally {
      this.#looking = false;
    }
  }

  /** Whether a chat is its own. Rejects if it does not say. */
  async owns(jid: string): Promise<boolean> {
    const answer = await this.#call('ownsJid', jid);
    if (typeof answer === 'boolean') return answer;
    throw this.#fault('ownsJid', 'answered what it must not: neither true nor false', 'HANDLER_ANSWER');
  }

  /** Resolves when the channel has taken a text. Rejects if it has not, or does not say. */
  async send(jid: string, text: string, about: { readonly answers?: string } = {}): Promise<void> {
    await this.#call('sendMessage', jid, text, about);
  }

  /** Shows that the assistant writes, where the channel can; left out while the last such call is under way. */
  typing(jid: string, typing: boolean): void {
    if (this.#parts.channel.setTyping === undefined || this.#state !== 'up' || this.#typing) return;
    this.#typing = true;
    this.#call('setTyping', jid, typing)
      .catch((error) => this.#parts.problem(error as PatchbayError))
      .finally(() => {
        this.#typing = false;
      });
  }

  /** Disconnects, for good. Never rejects. */
  async close(): Promise<void> {
    const before = this.#state;
    this.#state = 'closed';
    clearTimeout(this.#timer);
    if (before === 'up' || before === 'connecting') await this.#call('disconnect').catch((e) => this.#parts.problem(e));
  }

  #lost(error: unknown): void {
    if (this.#state === 'closed') return;
    this.#state = 'down';
    this.#failures += 1;
    this.#parts.problem(error instanceof PatchbayError ? error : this.#fault('isConnected', messageOf(error)));
    const most = Math.min(1000 * 2 ** (this.#failures - 1), 300_000);
    const ms = this.#parts.backoffMs?.(this.#failures) ?? most * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.connect(), ms).unref();
  }

  async #call(member: Member, ...args: unknown[]): Promise<unknown> {
    const { channel } = this.#parts;
    try {
      return await inTime(answerMs[member], () => {
        return (channel[member] as (...args: unknown[]) => unknown).apply(channel, args);
      });
    } catch (error) {
      if (error instanceof Late) throw this.#fault(member, error.message, 'HANDLER_TIMEOUT');
      throw this.#fault(member, `failed: ${messageOf(error)}`, 'HANDLER_FAILED', error);
    }
  }

  #fault(
    member: Member,
    what: string,
    code: 'HANDLER_FAILED' | 'HANDLER_TIMEOUT' | 'HANDLER_ANSWER' = 'HANDLER_FAILED',
    cause?: unknown,
  ): PatchbayError {
    const { plugin, channel } = this.#parts;
    const message = `plugin "${plugin}" in hook "channel", "${channel.name}.${member}" ${what}`;
    return new PatchbayError(code, message, { plugin, hook: 'channel', cause });
  }
}
