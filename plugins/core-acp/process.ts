import { setTimeout as sleep } from 'node:timers/promises';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { messageOf, type Program, type TurnWork } from 'patchbay-sdk';
import { Lines, shortened } from './log.ts';

const mostMessageBytes = 8 * 1024 * 1024;
const mostBytes = 64 * 1024 * 1024;
const settleMs = 500;

/** The process of an agent, as the host confines it, from its start until nothing of it is left. */
export class AgentProcess {
  /** The messages to and from it. It fails if the agent says far more than agents do. */
  readonly stream: Stream;
  readonly #name: string;
  readonly #program: Program;
  readonly #lastWords: LastWords;
  #firstWords = '';
  #bytes = 0;

  private constructor(name: string, program: Program, lastWords: LastWords) {
    this.#name = name;
    this.#program = program;
    this.#lastWords = lastWords;
    this.stream = ndJsonStream(this.#input(), this.#output(), { maxMessageBytes: mostMessageBytes });
  }

  /** Starts it; `onStderr` hears each line of its standard error. Rejects with an error that can be shown if it cannot be. */
  static async start(
    turn: TurnWork,
    command: readonly string[],
    onStderr: (line: string) => void,
  ): Promise<AgentProcess> {
    const [name = ''] = command;
    const lastWords = new LastWords(onStderr);
    try {
      const program = await turn.spawn(command, { onStderr: (text) => lastWords.push(text) });
      return new AgentProcess(name, program, lastWords);
    } catch (error) {
      throw new Error(`${name} could not be started: ${messageOf(error)}`, { cause: error });
    }
  }

  /** What went wrong, from the side of the process if it has ended; else what was thrown. */
  async explain(thrown: unknown): Promise<Error> {
    if (this.#bytes > mostBytes) return new Error(`${this.#name} said more than ${mostBytes} bytes`);
    const end = await Promise.race([this.#end(), sleep(settleMs, null, { ref: false })]);
    this.#lastWords.end();
    if (end === null) return new Error(`${this.#name}: ${messageOf(thrown)}`, { cause: thrown });
    const stray = this.#firstWords.trim().startsWith('{') ? '' : shortened(this.#firstWords.trim(), 200);
    const words = [stray, ...this.#lastWords.lines].filter((line) => line !== '');
    return new Error([`${this.#name} ${end}`, ...words].join(': '), { cause: thrown });
  }

  /** Ends it and everything it started. Never throws. */
  async stop(): Promise<void> {
    await this.#program.stop();
    this.#lastWords.end();
  }

  async #end(): Promise<string> {
    try {
      const { exit_code, signal, silent } = await this.#program.ended();
      if (silent) return 'was ended: it said nothing for too long';
      return signal === null ? `exited with ${exit_code} before it was done` : `was ended by ${signal}`;
    } catch (error) {
      return messageOf(error);
    }
  }

  #input(): WritableStream<Uint8Array> {
    const decoder = new TextDecoder();
    return new WritableStream({
      write: (chunk) => this.#program.write(decoder.decode(chunk, { stream: true })),
      close: () => this.#program.endInput(),
    });
  }

  #output(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream({
      pull: async (controller) => {
        const text = await this.#program.read();
        if (text === null) return controller.close();
        if (this.#bytes === 0) this.#firstWords = text.slice(0, 256);
        const chunk = encoder.encode(text);
        this.#bytes += chunk.byteLength;
        if (this.#bytes > mostBytes) controller.error(new Error('it said too much'));
        else controller.enqueue(chunk);
      },
    });
  }
}

/** What an agent printed to its standard error: each line is told, the last three are kept. */
class LastWords {
  readonly #lines: Lines;
  #last: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#lines = new Lines((line) => {
      this.#last = [...this.#last.slice(-2), shortened(line, 200)];
      onLine(line);
    });
  }

  get lines(): readonly string[] {
    return this.#last;
  }

  push(text: string): void {
    this.#lines.push(text);
  }

  end(): void {
    this.#lines.end();
  }
}
