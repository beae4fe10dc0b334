import type { StepResult, ToolSet } from 'ai';
import { messageOf, type TurnWork } from 'patchbay-sdk';
import { cut } from './cut.ts';

/** Tells people how a turn goes, without the key. */
export class Journal {
  readonly #turn: TurnWork;
  readonly #key: string | undefined;

  constructor(turn: TurnWork, key: string | undefined) {
    this.#turn = turn;
    this.#key = key;
  }

  /** What can be shown of a text: not the key, which providers like to quote, and not all of it if it is long. */
  shown(text: string): string {
    return cut(this.#key === undefined ? text : text.replaceAll(this.#key, '***'), 1000);
  }

  /** A tool is about to be called. */
  called({ toolName, input }: { readonly toolName: string; readonly input: unknown }): void {
    const { path, text, command, status } = (input ?? {}) as Readonly<Record<string, unknown>>;
    const about = [command, text, path, status].filter((word) => typeof word === 'string');
    this.#say(`${toolName} ${about.join(' ')}`);
  }

  /** The model has spoken, and what it called for was done. */
  stepped({ text, content, usage }: StepResult<ToolSet>): void {
    if (text.trim() !== '') this.#say(text.trim());
    for (const part of content) {
      if (part.type === 'tool-error') this.#say(`${part.toolName} failed: ${messageOf(part.error)}`);
    }
    this.#say(`(${usage.inputTokens ?? 0} tokens in, ${usage.outputTokens ?? 0} out)`);
  }

  #say(text: string): void {
    this.#turn.log(this.shown(text));
  }
}
