import type { Socket } from 'node:net';

// Held on to, because in the plugin's process a plugin may replace them.
const { parse, stringify } = JSON;
const later = setImmediate;

/** Hears what comes over a wire. */
export interface WireEar {
  /** A line that was JSON. */
  message(message: unknown, length: number): void;
  /** The other side broke the rules; nothing it sends is read any more. */
  fault(what: string): void;
  /** The other side is gone. */
  ended(): void;
}

/** Lines of JSON over a socket. Everything sent in one turn of the event loop leaves in one write. */
export class Wire {
  readonly #socket: Socket;
  readonly #ear: WireEar;
  readonly #longest: number;
  #queue = '';
  #partial = '';
  #deaf = false;

  /** A line of more than `longest` characters is a fault. */
  constructor(socket: Socket, longest: number, ear: WireEar) {
    this.#socket = socket;
    this.#ear = ear;
    this.#longest = longest;
    socket.setEncoding('utf8');
    socket.on('data', this.#onData);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => ear.ended());
  }

  /** How much has been sent and not yet been taken by the other side, in bytes. */
  get backlog(): number {
    return this.#queue.length + this.#socket.writableLength;
  }

  /** Sends a message; one that cannot be written as JSON throws, one to a side that is gone is dropped. */
  send(message: object): void {
    this.sendLine(stringify(message));
  }

  /** Sends what is JSON already. */
  sendLine(line: string): void {
    if (this.#queue === '') later(this.#flush);
    this.#queue += `${line}\n`;
  }

  /** Sends what is queued and says that nothing more will come. */
  end(): void {
    this.#flush();
    this.#socket.end();
  }

  /** Reads nothing more. */
  deafen(): void {
    this.#deaf = true;
    this.#partial = '';
  }

  readonly #flush = (): void => {
    const queued = this.#queue;
    this.#queue = '';
    if (queued !== '' && this.#socket.writable) this.#socket.write(queued);
  };

  readonly #onData = (chunk: string): void => {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at >= 0 && !this.#deaf; at = chunk.indexOf('\n', from)) {
      const line = this.#partial === '' ? chunk.slice(from, at) : this.#partial + chunk.slice(from, at);
      this.#partial = '';
      from = at + 1;
      this.#read(line);
    }
    if (this.#deaf) return;
    this.#partial += from === 0 ? chunk : chunk.slice(from);
    if (this.#partial.length > this.#longest) this.#fault(`sent a line of more than ${this.#longest} characters`);
  };

  #read(line: string): void {
    if (line.length > this.#longest) {
      this.#fault(`sent a line of more than ${this.#longest} characters`);
      return;
    }
    let message: unknown;
    try {
      message = parse(line);
    } catch {
      this.#fault('sent something that is not JSON');
      return;
    }
    this.#ear.message(message, line.length);
  }

  #fault(what: string): void {
    this.deafen();
    this.#ear.fault(what);
  }
}
