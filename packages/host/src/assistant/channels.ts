import { type Channel, type Hooks, PatchbayError, type Payload } from 'patchbay-sdk';
import { type Kernel, newRecord } from '../kernel/index.ts';
import { ChannelLink, type LinkParts } from './channel-link.ts';
import { terminal, terminalFolder } from './terminal.ts';

/** What plugins are given to make a channel with. */
export type ChannelContext = Payload<'channel'>;

/** What channels are kept with. */
export interface ChannelsParts {
  readonly kernel: Kernel<Hooks>;
  readonly context: ChannelContext;
  /** Which channel has a chat that several say is theirs. */
  readonly preferred: string;
  /** A channel is there: what waits for it can be sent. */
  readonly connected: (name: string) => void;
  /** Hears what goes wrong with plugins. */
  readonly problem: (error: PatchbayError) => void;
  readonly backoffMs?: LinkParts['backoffMs'];
  /** How often it is looked whether channels are connected. @default 5 seconds */
  readonly lookMs?: number;
}

/** How long it is remembered whose a chat is. */
const rememberMs = 60_000;
const mostRemembered = 10_000;

/**
 * The channels of a host: made by plugins, connected as long as the host is. The one of the terminal is always there; a plugin
 * may bring another one of that name.
 */
export class Channels {
  readonly #parts: ChannelsParts;
  readonly #links = new Map<string, ChannelLink>();
  readonly #owners = new Map<string, { readonly owner: string | null; readonly until: number }>();
  /** By plugin, what was told last. */
  readonly #told = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
  }

  /** Has plugins make their channels, and begins to connect them: nobody waits for that. Never rejects. */
  async start(): Promise<void> {
    const { kernel, context, problem, lookMs = 5000 } = this.#parts;
    const record = newRecord();
    await kernel.call('channel', context, { record });
    for (const failure of record.failures) problem(failure);
    for (const { plugin, answer } of record.answers) this.#add(answer as Channel, plugin);
    for (const link of this.#links.values()) link.connect();
    if (this.#links.size === 0) return;
    this.#timer = setInterval(() => {
      for (const link of this.#links.values()) void link.look();
    }, lookMs).unref();
  }

  /** The channel of a name, as far as a plugin made it. */
  link(name: string): ChannelLink | undefined {
    return this.#links.get(name);
  }

  /** All channels, and whether they are connected. */
  get all(): readonly { readonly name: string; readonly plugin: string | null; readonly connected: boolean }[] {
    const made = [...this.#links.values()].map(({ name, plugin, isUp }) => ({ name, plugin, connected: isUp }));
    return this.#links.has(terminal) ? made : [{ name: terminal, plugin: null, connected: true }, ...made];
  }

  /**
   * The channel that is to send what is said in a chat: the one that says it is its own; the preferred one if several do, then the
   * one by whose name it begins, which has it as well if none does. Null for the terminal of the host, which sends nothing. Never rejects.
   */
  async ownerOf(jid: string): Promise<string | null> {
    const known = this.#owners.get(jid);
    if (known !== undefined && known.until > performance.now()) return known.owner;
    const owner = await this.#askOwner(jid);
    if (this.#owners.size >= mostRemembered) this.#owners.clear();
    this.#owners.set(jid, { owner, until: performance.now() + rememberMs });
    return owner;
  }

  /** Shows in a chat that the assistant writes, or has ended. */
  async typing(jid: string, typing: boolean): Promise<void> {
    const owner = await this.ownerOf(jid);
    if (owner !== null) this.#links.get(owner)?.typing(jid, typing);
  }

  /** Disconnects all. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  #add(channel: Channel, plugin: string): void {
    const { connected, backoffMs } = this.#parts;
    const problem = (error: PatchbayError) => this.#tell(error);
    const other = this.#links.get(channel.name);
    if (other !== undefined) {
      const message = `plugin "${plugin}" in hook "channel": the channel "${channel.name}" is left out, plugin "${other.plugin}" has one of that name`;
      problem(new PatchbayError('HANDLER_ANSWER', message, { plugin, hook: 'channel' }));
      return;
    }
    const parts = { channel, plugin, problem, connected: () => connected(channel.name) };
    this.#links.set(channel.name, new ChannelLink({ ...parts, ...(backoffMs === undefined ? {} : { backoffMs }) }));
  }

  /** Others are asked only about what is not settled without them: one that hangs must not delay the chats of the rest. */
  async #askOwner(jid: string): Promise<string | null> {
    const { preferred } = this.#parts;
    const prefix = jid.split(':')[0] ?? '';
    const first = [...new Set([preferred, prefix])];
    for (const name of first) if (await this.#owns(name, jid)) return name;
    if (!this.#links.has(terminal) && terminalFolder(jid) !== undefined) return null;
    const others = [...this.#links.keys()].filter((name) => !first.includes(name));
    const answers = await Promise.all(others.map((name) => this.#owns(name, jid)));
    return others.find((_, i) => answers[i]) ?? prefix;
  }

  async #owns(name: string, jid: string): Promise<boolean> {
    try {
      return (await this.#links.get(name)?.owns(jid)) ?? false;
    } catch (error) {
      this.#tell(error as PatchbayError);
      return false;
    }
  }

  /** What a plugin does wrong is told once, until it does something else wrong. */
  #tell(error: PatchbayError): void {
    const { plugin = '', message } = error;
    if (this.#told.get(plugin) === message) return;
    this.#told.set(plugin, message);
    this.#parts.problem(error);
  }
}
