import { createInterface, type Interface } from 'node:readline';
import { messageOf } from 'patchbay-sdk';
import { elapsed } from '../elapsed.ts';
import { isAbort } from './api.ts';
import type { Shown } from './conversation.ts';
import { Flow, harmless, type Look } from './render.ts';
import { divert, Screen } from './screen.ts';
import type { ChatNews, Session } from './session.ts';
import { readLine, slashes } from './slash.ts';
import type { TypedHistory } from './typed-history.ts';

/** The terminal that somebody talks at. */
export interface TalkParts {
  readonly session: Session;
  readonly look: Look;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** What is printed there meanwhile is shown above the line that is typed. */
  readonly stderr: NodeJS.WriteStream;
  readonly typed: TypedHistory;
  /** Ends the session. */
  readonly leave: () => void;
}

const tickMs = 1_000;
/** After that, one Ctrl-C is forgotten. */
const twiceMs = 3_000;

/** A chat at a terminal. */
export class Talk {
  readonly #parts: TalkParts;
  readonly #rl: Interface;
  readonly #screen: Screen;
  readonly #flow = new Flow();
  /** Lines that go on in the next one. */
  #before: string[] = [];
  #isStreaming = false;
  #workingSince: number | undefined;
  #isGone = false;
  #interruptedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: TalkParts) {
    const { stdin, stdout, typed } = parts;
    this.#parts = parts;
    this.#rl = createInterface({
      input: stdin,
      output: stdout,
      terminal: true,
      history: typed.read(),
      historySize: 500,
      removeHistoryDuplicates: true,
      completer: completed,
    });
    this.#screen = new Screen(this.#rl, stdout);
  }

  /** Resolves when it is over. Rejects if the host does not let us. */
  async run(): Promise<void> {
    const { session, look, stdin, typed, leave } = this.#parts;
    // Before the line is taken: what stands above it only for now must not stay there.
    stdin.prependListener('keypress', (_, key?: { name?: string }) => {
      if (key?.name === 'return' || key?.name === 'enter') this.#screen.settle();
    });
    this.#rl.on('line', (line) => this.#typed(line));
    this.#rl.on('SIGINT', () => this.#interrupted());
    this.#rl.on('history', (lines: string[]) => typed.write(lines));
    this.#rl.on('close', leave);
    const timer = setInterval(() => this.#status(), tickMs);
    const { stderr } = this.#parts;
    const undivert = stderr.isTTY ? divert(stderr, (lines) => this.#screen.print(look.dim(harmless(lines)))) : () => {};
    try {
      this.#screen.print(look.history(session.history));
      for (const call of session.waiting) this.#screen.print(look.asked(call, new Date()));
      this.#screen.prompt = this.#prompt();
      for await (const news of session.news()) this.#news(news);
    } finally {
      clearInterval(timer);
      undivert();
      this.#screen.status = '';
      this.#rl.close();
      this.#parts.stdout.write('\n');
    }
  }

  #prompt(): string {
    const { session } = this.#parts;
    return this.#before.length === 0 ? `${session.workspace}> ` : `${'.'.repeat(session.workspace.length)}> `;
  }

  #typed(line: string): void {
    const goesOn = /(?<!\\)(?:\\\\)*\\$/.test(line);
    this.#before.push(goesOn ? line.slice(0, -1) : line);
    if (!goesOn) {
      const text = this.#before.join('\n').trim();
      this.#before = [];
      if (text !== '') void this.#obey(text);
    }
    this.#screen.prompt = this.#prompt();
  }

  async #obey(text: string): Promise<void> {
    const { session, look, leave } = this.#parts;
    const read = readLine(text);
    if (read.kind === 'wrong') this.#screen.print(look.problem(read.hint));
    else if (read.kind === 'words') await session.say(read.text).catch((error) => this.#failed(error));
    else if (read.name === 'quit') leave();
    else this.#screen.print(await session.command(read.name, read.args, look));
  }

  #failed(error: unknown): void {
    if (!isAbort(error)) this.#screen.print(this.#parts.look.problem(messageOf(error)));
  }

  /** The first one drops what is typed; the second leaves. */
  #interrupted(): void {
    const isTwice = performance.now() - this.#interruptedAt < twiceMs;
    if (this.#rl.line === '' && this.#before.length === 0 && isTwice) {
      this.#parts.leave();
      return;
    }
    this.#interruptedAt = performance.now();
    const isEmpty = this.#rl.line === '' && this.#before.length === 0;
    this.#before = [];
    this.#rl.write(null, { ctrl: true, name: 'e' });
    this.#rl.write(null, { ctrl: true, name: 'u' });
    if (isEmpty) this.#screen.print(this.#parts.look.dim('Ctrl-C once more leaves.'));
    this.#screen.prompt = this.#prompt();
  }

  #news(news: ChatNews): void {
    const { look } = this.#parts;
    if (news.kind === 'event') for (const shown of news.shown) this.#show(shown);
    else {
      this.#isGone = news.kind === 'gone';
      this.#screen.print(look.dim(this.#isGone ? 'The host is gone, waiting for it…' : 'The host is back.'));
    }
    this.#status();
  }

  #show(shown: Shown): void {
    const { look, session } = this.#parts;
    const screen = this.#screen;
    switch (shown.kind) {
      case 'own':
        break;
      case 'said':
        screen.print(look.said(shown));
        break;
      case 'piece':
        if (!this.#isStreaming) screen.print(look.name('assistant', true));
        this.#isStreaming = true;
        screen.print(this.#flow.add(shown.text, look.columns).join('\n'));
        break;
      case 'answer':
        this.#answer(shown);
        break;
      case 'tool':
        this.#apart(look.aside(shown.text));
        break;
      case 'asked':
        this.#apart(look.asked(shown.call, new Date()));
        break;
      case 'decided':
        // What was decided here was said here.
        if (shown.by !== session.sender) this.#apart(look.aside(`${shown.tool} is ${shown.decision} by ${shown.by}`));
        break;
      case 'working':
        this.#workingSince = shown.active ? (this.#workingSince ?? performance.now()) : undefined;
        break;
      case 'cleared':
        this.#apart(look.aside('what was said before is forgotten'));
        break;
    }
  }

  #answer(shown: Extract<Shown, { kind: 'answer' }>): void {
    const { look } = this.#parts;
    const { who, text, rest, failed } = shown;
    const isWhole = !this.#isStreaming || rest === text;
    const lines = isWhole ? this.#flow.end() : [...this.#flow.add(rest, look.columns), ...this.#flow.end()];
    this.#isStreaming = false;
    this.#screen.print(lines.join('\n'));
    const whole = failed ? `${look.name(who, true)} ${look.problem(text)}` : look.said({ who, text, is_bot: true });
    if (isWhole) this.#screen.print(whole);
  }

  /** Prints what is no part of an answer that is being given. */
  #apart(text: string): void {
    this.#screen.print([...this.#flow.end(), text].join('\n'));
  }

  #status(): void {
    const { look } = this.#parts;
    const since = this.#workingSince;
    if (this.#flow.tail !== '') this.#screen.status = this.#flow.tail;
    else if (this.#isGone) this.#screen.status = look.dim('… the host is gone');
    else if (since === undefined) this.#screen.status = '';
    else this.#screen.status = look.dim(`… working, ${elapsed(performance.now() - since)}`);
  }
}

function completed(line: string): [string[], string] {
  const names = Object.keys(slashes).map((name) => `/${name}`);
  return [line.startsWith('/') ? names.filter((name) => name.startsWith(line)) : [], line];
}
