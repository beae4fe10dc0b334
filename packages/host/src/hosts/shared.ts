import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from 'patchbay-sdk';
import { Readers } from '../ledger/postgres/readers.ts';
import { prepareDatabase } from '../ledger/postgres/schema.ts';
import { type Server, serverAt } from '../ledger/postgres/server.ts';
import { Claims } from './claims.ts';
import { fence, Member, type Seen, type Sight, sessionsOf } from './member.ts';
import type { Claim, ClaimKind, HostFacts, Peers } from './peers.ts';

/** How long what may take, in milliseconds. */
export interface Patience {
  /** Between two signs of life. */
  readonly beat: number;
  /** A host that has no session any more is dead then: a connection may be made anew. */
  readonly gone: number;
  /** A host that has a session, and says nothing on it, is dead then: frozen, or cut off. */
  readonly silent: number;
  /** A host that hears nothing of the server takes itself for cut off then, which is before others do. */
  readonly cutOff: number;
  /** After the server was started, all hosts have so long to come back. */
  readonly grace: number;
}

const usual: Patience = { beat: 1000, gone: 900, silent: 10_000, cutOff: 7000, grace: 10_000 };

/** How a host joins others. */
export interface Joining {
  readonly facts: HostFacts;
  /** Hears that it has lost the others, and that it is back. */
  readonly warn: (message: string) => void;
  /**
   * Holds the id of the host that was last in the same folder. Whoever joins has that to itself, so the other one is dead, and
   * nobody has to find that out. Default: nothing is known of one.
   */
  readonly idFile?: string;
  readonly patience?: Partial<Patience>;
}

/**
 * The hosts on one database, each with a session whose lock says that it is there. Whoever is found dead is fenced by the
 * others, who take what it had. One that was fenced, or has lost the server for too long, has lost all it had, and joins
 * again as a new one.
 */
export class SharedPeers implements Peers {
  readonly areMany = true;
  readonly #server: Server;
  readonly #connections: Readers;
  readonly #warn: Joining['warn'];
  readonly #patience: Patience;
  readonly #idFile: string | undefined;
  /** Of this process, whatever it is called among the others. */
  readonly #process: string;
  readonly #freed = new Set<() => void>();
  /** Since when hosts have no session. */
  readonly #missing = new Map<string, number>();
  #facts: HostFacts;
  /** Whether the others know them. */
  #isSaid = true;
  #joined = 0;
  #member: Member | undefined;
  #claims: Claims | undefined;
  #elsewhere: ReadonlySet<string> = new Set();
  #isServed = false;
  #heardAt = performance.now();
  #watching: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #closed = false;

  private constructor(server: Server, process: string, { facts, warn, patience, idFile }: Joining) {
    this.#server = server;
    this.#process = process;
    this.#connections = new Readers(server);
    this.#facts = facts;
    this.#warn = warn;
    this.#idFile = idFile;
    this.#patience = { ...usual, ...patience };
  }

  /** Joins the hosts of a database. Throws what `openPostgresLedger` does. */
  static async join(url: string, joining: Joining): Promise<SharedPeers> {
    const process = randomUUID();
    const server = serverAt(url, `patchbay ${process}`);
    await prepareDatabase(server);
    const peers = new SharedPeers(server, process, joining);
    try {
      await peers.#join();
    } catch (error) {
      await peers.#connections.end();
      throw error;
    }
    await peers.#beat();
    peers.#watching = setInterval(() => peers.#watch(), peers.#patience.beat);
    return peers;
  }

  /** What it is called among the others: another name whenever it has joined again. */
  get id(): string {
    return `${this.#process}-${this.#joined}`;
  }

  /** What the server calls the sessions of this process, so that others can end them. */
  get sessions(): string {
    return sessionsOf(this.id);
  }

  async say(facts: Partial<HostFacts>): Promise<void> {
    this.#facts = { ...this.#facts, ...facts };
    this.#isSaid = false;
    await this.#sayAll().catch(() => {});
  }

  async #sayAll(): Promise<void> {
    if (this.#isSaid) return;
    this.#isSaid = true;
    await this.#member?.say(this.#facts).catch((error) => {
      this.#isSaid = false;
      throw error;
    });
  }

  async take(kind: ClaimKind, key: string): Promise<Claim | undefined> {
    return this.#claims?.take(kind, key);
  }

  async isTaken(kind: ClaimKind, key: string): Promise<boolean> {
    const text = 'SELECT FROM claims WHERE kind = $1 AND key = $2 AND host <> $3';
    return (await this.#connections.make({ text, values: [kind, key, this.id] })).count > 0;
  }

  isElsewhere(kind: ClaimKind, key: string): boolean {
    return this.#elsewhere.has(`${kind} ${key}`);
  }

  get isServed(): boolean {
    return this.#isServed;
  }

  onFreed(hear: () => void): () => void {
    this.#freed.add(hear);
    return () => this.#freed.delete(hear);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#watching);
    await this.#beating;
    await this.#member?.leave();
    await this.#connections.end();
  }

  async #join(): Promise<void> {
    const before = this.#joined === 0 ? idIn(this.#idFile) : this.id;
    const id = `${this.#process}-${this.#joined + 1}`;
    const member = await Member.join(this.#server, id, this.#facts, before);
    if (this.#idFile !== undefined) writeFileSync(this.#idFile, id, { mode: 0o600 });
    // From now on what is written is written under this name.
    this.#joined += 1;
    this.#claims = new Claims(this.#connections, id);
    this.#member = member;
    this.#heardAt = performance.now();
  }

  #watch(): void {
    if (this.#member !== undefined && performance.now() - this.#heardAt > this.#patience.cutOff) {
      this.#lose('the database does not answer: no work is done until it does');
    }
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
  }

  async #beat(): Promise<void> {
    const began = performance.now();
    try {
      const member = this.#member;
      if (member === undefined) {
        await this.#join();
        this.#warn('this host has joined the others again');
        return this.#tellFreed();
      }
      const sight = await member.beat();
      if (member !== this.#member || this.#closed) return;
      if (sight === undefined) return this.#lose('other hosts have taken this one for dead, and its work over');
      this.#heardAt = began;
      await this.#heed(sight);
      await this.#claims?.settle();
      await this.#sayAll();
    } catch {
      // Tried again at the next beat; too long without any is a loss.
    }
  }

  #lose(why: string): void {
    const member = this.#member;
    this.#member = undefined;
    this.#claims?.lose();
    this.#claims = undefined;
    void member?.drop();
    this.#warn(why);
  }

  async #heed({ upMs, hosts, claims }: Sight): Promise<void> {
    const before = this.#elsewhere;
    this.#isServed = hosts.some(({ id, serving }) => serving && id !== this.id);
    this.#elsewhere = new Set(claims.map(({ kind, key }) => `${kind} ${key}`));
    for (const id of this.#missing.keys()) if (!hosts.some((host) => host.id === id)) this.#missing.delete(id);
    const dead = upMs < this.#patience.grace ? [] : hosts.flatMap((host) => this.#deathOf(host));
    for (const { id, name, why } of dead) {
      await fence(this.#server, id, why, true).then(
        () => this.#warn(`host "${name}" is gone (${why}): others take its work over`),
        (error) => this.#warn(`host "${name}" is gone, but could not be fenced: ${messageOf(error)}`),
      );
    }
    if ([...before].some((name) => !this.#elsewhere.has(name))) this.#tellFreed();
  }

  #deathOf({ id, name, silentMs }: Seen): { id: string; name: string; why: string }[] {
    const { gone, silent } = this.#patience;
    if (id === this.id) return [];
    if (silentMs !== null) {
      this.#missing.delete(id);
      return silentMs > silent
        ? [{ id, name, why: `nothing was heard of it for ${Math.round(silentMs / 1000)} s` }]
        : [];
    }
    const since = this.#missing.get(id) ?? performance.now();
    this.#missing.set(id, since);
    return performance.now() - since > gone ? [{ id, name, why: 'it has no session any more' }] : [];
  }

  #tellFreed(): void {
    for (const hear of this.#freed) hear();
  }
}

function idIn(file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8');
  } catch {
    // There was none.
    return undefined;
  }
}
