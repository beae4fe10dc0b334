import type { Socket } from 'node:net';
import { fromRemote, toRemote } from './remote-error.ts';
import { Wire } from './wire.ts';

// Held on to, because in the plugin's process a plugin may replace it.
const { stringify } = JSON;

/** What an answer carries: a value, or word that a wrapper has a second half. */
export interface Answer {
  readonly value?: unknown;
  readonly after?: true;
}

/** What a side does for the other, and what it hears of it. */
export interface PeerEar {
  /** A request (it has an id, and must be answered) or a notification. Throws a text that says what is wrong with it. */
  serve(method: string, params: Record<string, unknown>, id: number | undefined, length: number): void;
  fault(what: string): void;
  ended(): void;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Nothing useful is nested deeper, and code that walks over it need not survive it. */
const deepest = 200;

/** One side of JSON-RPC 2.0 over a socket; both sides may ask. Whatever the other side sends, it does not throw. */
export class Peer {
  readonly #wire: Wire;
  readonly #ear: PeerEar;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor(socket: Socket, longest: number, ear: PeerEar) {
    this.#ear = ear;
    this.#wire = new Wire(socket, longest, {
      message: (message, length) => this.#heard(message, length),
      fault: (what) => ear.fault(what),
      ended: () => ear.ended(),
    });
  }

  /** How many requests are not answered yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** See `Wire.backlog`. */
  get backlog(): number {
    return this.#wire.backlog;
  }

  /** The number the next request will have. */
  get nextId(): number {
    return this.#count + 1;
  }

  isWaiting(id: number): boolean {
    return this.#waiting.has(id);
  }

  /** Sends a request. Throws if `params` cannot be sent. */
  ask(method: string, params: object): Promise<Answer> {
    const id = this.nextId;
    this.#wire.send({ jsonrpc: '2.0', id, method, params });
    this.#count = id;
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Sends what wants no answer. Throws if `params` cannot be sent. */
  notify(method: string, params: object): void {
    this.#wire.send({ jsonrpc: '2.0', method, params });
  }

  /** Answers a request. A value that JSON cannot hold, or that is longer than `longest`, becomes an error. */
  reply(id: number, { value, after }: Answer, longest = Number.POSITIVE_INFINITY): void {
    try {
      const text = textOf(value, longest);
      const result = after ? '"after":true' : text === undefined ? '' : `"value":${text}`;
      this.#wire.sendLine(`{"jsonrpc":"2.0","id":${id},"result":{${result}}}`);
    } catch (thrown) {
      this.refuse(id, thrown);
    }
  }

  /** Answers a request with an error. */
  refuse(id: number, thrown: unknown): void {
    this.#wire.send({ jsonrpc: '2.0', id, error: toRemote(thrown) });
  }

  /** Rejects all that wait, and reads nothing more. */
  abandon(error: Error): void {
    this.#wire.deafen();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** Says that nothing more will come. */
  end(): void {
    this.#wire.end();
  }

  #heard(message: unknown, length: number): void {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      this.#fault('sent something that is no message');
      return;
    }
    const { id, method, params, result, error } = message as Record<string, unknown>;
    if (typeof method === 'string') this.#serve(method, params, id, length);
    else this.#answered(id as number, result, error, length);
  }

  #serve(method: string, params: unknown, id: unknown, length: number): void {
    try {
      const known = typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {};
      this.#ear.serve(method, known, typeof id === 'number' ? id : undefined, length);
    } catch (thrown) {
      this.#fault(toRemote(thrown).message);
    }
  }

  #answered(id: number, result: unknown, error: unknown, length: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      this.#fault('answered something that it was not asked');
      return;
    }
    if (error === undefined && (typeof result !== 'object' || result === null)) {
      this.#fault('sent an answer without a result');
      return;
    }
    this.#waiting.delete(id);
    if (error !== undefined) waiting.reject(fromRemote(error));
    else if (length > 2 * deepest && isTooDeep(result as object)) {
      waiting.reject(new Error(`answered something nested more than ${deepest} deep`));
    } else waiting.resolve(result as Answer);
  }

  #fault(what: string): void {
    this.#wire.deafen();
    this.#ear.fault(what);
  }
}

/** A value as JSON; undefined for nothing. Throws on what would be lost on the way, or too long. */
function textOf(value: unknown, longest: number): string | undefined {
  let text: string | undefined;
  try {
    text = stringify(value);
  } catch (thrown) {
    throw new Error(`answered something that cannot be sent: ${toRemote(thrown).message}`);
  }
  // Nothing is what a handler answers to agree: what JSON turns into nothing must not pass for that.
  if (value !== undefined && value !== null && (text === undefined || text === 'null')) {
    throw new Error(`answered something that cannot be sent: a ${typeof value}`);
  }
  if (text !== undefined && text.length > longest) {
    throw new Error(`answered ${text.length} characters, which is more than ${longest}`);
  }
  return text;
}

/** Without recursion, which is what it is to protect others from. */
function isTooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    const below: object[] = [];
    for (const node of level) {
      for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) below.push(child);
    }
    level = below;
  }
  return false;
}
