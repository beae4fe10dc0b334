import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Conversation } from '../sandbox/launcher.ts';

/** A message is not longer than this. */
export const mostBytes = 16 * 1024 * 1024;

/** What was to be sent was not: whoever was to get it has ended before. */
export class NotSent extends Error {}

/** Speaks with a program over its standard input and output. One that says something too long is ended. */
export class ConversationTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #conversation: Conversation;
  /** The line that is not complete yet, in pieces. */
  #begun: string[] = [];
  #length = 0;
  #isClosed = false;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  async start(): Promise<void> {
    void this.#listen();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new NotSent('the server has ended');
    await this.#conversation.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#begun = [];
    this.onclose?.();
  }

  async #listen(): Promise<void> {
    try {
      for (let text = await this.#conversation.read(); text !== null; text = await this.#conversation.read()) {
        // Read on all the same: a program that cannot print cannot end well.
        if (this.#isClosed) continue;
        this.#take(text);
      }
    } catch (error) {
      this.onerror?.(error as Error);
      this.#conversation.stop();
    }
    await this.close();
  }

  #take(text: string): void {
    const [first = '', ...more] = text.split('\n');
    this.#begin(first);
    for (const next of more) {
      const line = this.#begun.join('');
      this.#begun = [];
      this.#length = 0;
      this.#deliver(line);
      this.#begin(next);
    }
  }

  #begin(piece: string): void {
    this.#length += piece.length;
    if (this.#length > mostBytes) throw new Error(`the server said more than ${mostBytes} characters at once`);
    this.#begun.push(piece);
  }

  #deliver(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // No message: the next one may be.
      this.onerror?.(error as Error);
    }
  }
}
