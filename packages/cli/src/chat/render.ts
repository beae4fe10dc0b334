import { styleText } from 'node:util';
import { elapsed } from '../elapsed.ts';
import { cutTo, plainLine } from '../width.ts';
import type { Pending, Said } from './api.ts';

/** How things look: without colours they are what they say. */
export class Look {
  readonly #coloured: boolean;
  readonly #columns: () => number;

  constructor(coloured: boolean, columns: () => number) {
    this.#coloured = coloured;
    this.#columns = columns;
  }

  get columns(): number {
    return this.#columns();
  }

  dim(text: string): string {
    return this.#style('dim', text);
  }

  /** One message, under the name of whoever said it. */
  said({ who, text, is_bot }: { readonly who: string; readonly text: string; readonly is_bot: boolean }): string {
    return `${this.name(who, is_bot)} ${harmless(text)}`;
  }

  name(who: string, is_bot: boolean): string {
    return this.#style(is_bot ? 'cyan' : 'green', `${harmless(who)}:`);
  }

  history(said: readonly Said[]): string {
    return said
      .map(({ sender_name, content, is_bot }) => this.said({ who: sender_name, text: content, is_bot }))
      .join('\n');
  }

  /** A line beside the conversation. */
  aside(text: string): string {
    return this.dim(cutTo(`  · ${plainLine(text)}`, this.columns - 1));
  }

  problem(text: string): string {
    return this.#style('red', harmless(text));
  }

  /** A call of a tool that somebody is to decide on. */
  asked({ approval_id, tool, input, expires_at }: Pending, now: Date): string {
    const left = expires_at === null ? undefined : Date.parse(expires_at) - now.getTime();
    const lines = JSON.stringify(input, undefined, 2).split('\n').slice(0, 20);
    return [
      this.#style(
        'yellow',
        `┌ ${plainLine(tool)} wants to be called${left === undefined ? '' : `, within ${elapsed(left)}`}`,
      ),
      ...lines.map((line) => `${this.#style('yellow', '│')} ${cutTo(plainLine(line), this.columns - 3)}`),
      this.#style('yellow', `└ approve? /approve ${approval_id} or /deny ${approval_id}`),
    ].join('\n');
  }

  pending(calls: readonly Pending[], now: Date): string {
    return calls.length === 0
      ? this.dim('nothing waits for you')
      : calls.map((call) => this.asked(call, now)).join('\n');
  }

  #style(style: 'dim' | 'cyan' | 'green' | 'yellow' | 'red', text: string): string {
    return this.#coloured ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** A text without anything that a terminal would obey. */
export function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '  ')
    .replace(/[^\P{Cc}\n]/gu, '');
}

/** A text that comes in pieces, in lines that fit: those that are complete, and what has come of the next one. */
export class Flow {
  #tail = '';

  /** What has come of the line that is not complete. */
  get tail(): string {
    return this.#tail;
  }

  /** The lines that are complete with this piece. */
  add(piece: string, columns: number): string[] {
    const lines = (this.#tail + harmless(piece)).split('\n').flatMap((line) => wrap(line, columns - 1));
    this.#tail = lines.pop() ?? '';
    return lines;
  }

  /** What is left, if anything is. */
  end(): string[] {
    const rest = this.#tail;
    this.#tail = '';
    return rest === '' ? [] : [rest];
  }
}

/** A line as several that fit, cut between words where there are any. */
function wrap(line: string, places: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (cutTo(rest, places) !== rest) {
    const fits = Math.max(1, cutTo(rest, places).length - 1);
    const word = rest.lastIndexOf(' ', fits);
    const at = word > 0 ? word : fits;
    lines.push(rest.slice(0, at));
    rest = rest.slice(word > 0 ? at + 1 : at);
  }
  return [...lines, rest];
}
