import { createInterface, type Interface } from 'node:readline';
import { PatchbayError } from 'patchbay-sdk';
import type { Output } from '../command.ts';
import { isAbort } from './api.ts';
import type { Shown } from './conversation.ts';
import type { Look } from './render.ts';
import type { ChatNews, Session } from './session.ts';
import { readLine } from './slash.ts';

/** So long a host may be away: it may be started again just now. */
const patienceMs = 60_000;

/** What a chat without a terminal is given. */
export interface PipeParts {
  readonly session: Session;
  readonly look: Look;
  readonly input: NodeJS.ReadableStream;
  /** Whether what happens is told, rather than what was answered. */
  readonly json: boolean;
  /** What is printed of an answer. */
  readonly shown: (text: string) => string;
  /** Tells people what is no answer. */
  readonly progress: (line: string) => void;
  /** Ends the session. */
  readonly leave: () => void;
}

/**
 * A chat without a terminal: every line is a message, every answer is printed, and it is over when there are no more lines and all are
 * answered. The exit code is 1 if something could not be answered. Throws HOST_GONE if the host does not come back.
 */
export class Pipe {
  readonly #parts: PipeParts;
  readonly #lines: Interface;
  /** Messages that have arrived and are not answered yet, by event. */
  readonly #open = new Set<string>();
  /** How many messages are not answered yet. */
  #owed = 0;
  #isRead = false;
  #wrong: unknown;
  #hasFailed = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(parts: PipeParts) {
    this.#parts = parts;
    this.#lines = createInterface({ input: parts.input, terminal: false });
  }

  async *run(): AsyncGenerator<Output> {
    const reading = this.#read().catch((error) => this.#end(error));
    for await (const news of this.#parts.session.news()) {
      yield* this.#take(news);
      this.#look();
    }
    clearTimeout(this.#patience);
    this.#lines.close();
    if (this.#wrong !== undefined) throw this.#wrong;
    await reading;
    if (this.#hasFailed) process.exitCode = 1;
  }

  async #read(): Promise<void> {
    let before = '';
    for await (const line of this.#lines) {
      const goesOn = line.endsWith('\\');
      before += goesOn ? `${line.slice(0, -1)}\n` : line;
      if (goesOn) continue;
      if (before.trim() !== '') await this.#say(before.trim());
      before = '';
      if (this.#isRead) return;
    }
    if (before.trim() !== '') await this.#say(before.trim());
    this.#isRead = true;
    this.#look();
  }

  async #say(text: string): Promise<void> {
    const { session, look, progress } = this.#parts;
    const read = readLine(text);
    if (read.kind === 'wrong') throw new PatchbayError('USAGE', read.hint);
    if (read.kind === 'command') {
      if (read.name === 'quit') this.#isRead = true;
      else progress(await session.command(read.name, read.args, look));
      return this.#look();
    }
    this.#owed++;
    await session.say(read.text);
  }

  *#take(news: ChatNews): Generator<Output> {
    const { json, progress } = this.#parts;
    clearTimeout(this.#patience);
    if (news.kind === 'gone') {
      progress('The host is gone, waiting for it…');
      const gone = () => this.#end(new PatchbayError('HOST_GONE', 'the host has ended, and did not come back'));
      this.#patience = setTimeout(gone, patienceMs);
    }
    if (news.kind === 'back') progress('The host is back.');
    if (news.kind !== 'event') return;
    const isOurs = news.shown.some((shown) => this.#heed(shown));
    const { seq, id, type, at, run_id, payload } = news.event;
    const isSeen = news.shown.length > 0 || payload['chat_jid'] === this.#parts.session.jid;
    if (json && isSeen) yield { json: { seq, id, type, at, run_id, payload }, text: '' };
    if (json) return;
    for (const shown of news.shown)
      if (shown.kind === 'answer' && isOurs) yield { json: null, text: this.#parts.shown(shown.text) };
  }

  /** Whether it answers one of ours. */
  #heed(shown: Shown): boolean {
    const { look, progress } = this.#parts;
    if (shown.kind === 'asked') progress(look.asked(shown.call, new Date()));
    if (shown.kind === 'own') this.#open.add(shown.event_id);
    if (shown.kind !== 'answer' || shown.answers === null || !this.#open.delete(shown.answers)) return false;
    this.#owed--;
    if (shown.failed) this.#hasFailed = true;
    return true;
  }

  #look(): void {
    if (this.#isRead && this.#owed === 0) this.#parts.leave();
  }

  #end(error: unknown): void {
    if (!isAbort(error)) this.#wrong ??= error;
    this.#parts.leave();
  }
}
