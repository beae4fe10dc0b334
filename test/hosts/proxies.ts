import { Passage } from '../passage.ts';
import type { Network } from './network.ts';

/** A proxy before the server for each host: pulling its cable keeps it from the database, and from nothing else. */
export class Proxies implements Network {
  readonly kind = 'proxies';
  readonly server = { address: '127.0.0.1', from: '127.0.0.1/32' };
  readonly #count: number;
  #passages: readonly Passage[] = [];

  constructor(hosts: number) {
    this.#count = hosts;
  }

  async connect(port: number): Promise<void> {
    this.#passages = await Promise.all(Array.from({ length: this.#count }, () => Passage.start(port)));
  }

  at(): readonly string[] {
    return [];
  }

  addressOf(): string {
    return '127.0.0.1';
  }

  serverOf(host: number): string {
    return `127.0.0.1:${this.#of(host).port}`;
  }

  cut(host: number): void {
    const passage = this.#of(host);
    passage.fromClient = lost;
    passage.fromServer = lost;
  }

  heal(host: number): void {
    const passage = this.#of(host);
    // What was lost is not sent again here, as it is by a cable.
    passage.drop();
    passage.fromClient = passed;
    passage.fromServer = passed;
  }

  async close(): Promise<void> {
    await Promise.all(this.#passages.map((passage) => passage.close()));
  }

  #of(host: number): Passage {
    const passage = this.#passages[host];
    if (passage === undefined) throw new Error(`there is no host ${host}`);
    return passage;
  }
}

const nothing = Buffer.alloc(0);
const lost = () => nothing;
const passed = (bytes: Buffer) => bytes;
