import { type AnyPlugin, type Channel, definePlugin, type Payload } from 'patchbay-sdk';

/** What a plugin is given to make a channel with. */
export type Context = Payload<'channel'>;

/** A channel whose people are in the test. */
export class Pigeons {
  readonly sent: string[] = [];
  readonly calls: string[] = [];
  context: Context | undefined;
  isUp = false;
  readonly name: string;
  readonly #more: Partial<Channel>;

  constructor(name = 'pigeon', more: Partial<Channel> = {}) {
    this.name = name;
    this.#more = more;
  }

  /** The plugin that brings it. */
  get plugin(): AnyPlugin {
    const channel: Channel = {
      name: this.name,
      connect: async () => {
        this.calls.push('connect');
        this.isUp = true;
      },
      disconnect: async () => {
        this.calls.push('disconnect');
        this.isUp = false;
      },
      isConnected: () => this.isUp,
      ownsJid: (jid) => jid.startsWith(`${this.name}:`),
      sendMessage: async (jid, text) => void this.sent.push(`${jid} ${text}`),
      ...this.#more,
    };
    const make = (context: Context) => {
      this.context = context;
      return channel;
    };
    return definePlugin({ name: `plugin-${this.name}`, version: '1.0.0', provides: { channel: make } });
  }
}
