import type { BoundedLog } from './log.ts';
import { Lines } from './log.ts';
import type { ToolCall, Update } from './update.ts';

const mostChars = 2 * 1024 * 1024;
const mostCalls = 1000;

/** What an agent has said and done in its session, told to people as it comes. */
export class Transcript {
  readonly #log: BoundedLog;
  readonly #lines: Lines;
  readonly #calls = new Map<string, ToolCall>();
  #message: string | undefined;
  #said: string[] = [];
  #chars = 0;
  #usd: number | undefined;

  constructor(log: BoundedLog) {
    this.#log = log;
    this.#lines = new Lines((line) => log.line(`agent: ${line}`));
  }

  /** All that it said; if that was very much, the end of it. */
  get text(): string {
    return this.#said.join('').slice(-mostChars);
  }

  /** What the session has cost by its own account; undefined if it did not say. */
  get usd(): number | undefined {
    return this.#usd;
  }

  take(update: Update): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#say(update.content.text ?? '', update.messageId ?? undefined);
        break;
      case 'tool_call':
      case 'tool_call_update':
        this.#lines.end();
        this.#use(update);
        break;
      case 'usage_update':
        if (update.cost?.currency === 'USD') this.#usd = update.cost.amount;
    }
  }

  /** A tool call together with what was said of it before: agents tell only what is new. */
  known(call: ToolCall): ToolCall {
    const news = Object.entries(call).filter(([, value]) => value !== undefined && value !== null);
    const known = { ...this.#calls.get(call.toolCallId), ...Object.fromEntries(news), toolCallId: call.toolCallId };
    this.#calls.delete(call.toolCallId);
    this.#calls.set(call.toolCallId, known);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > mostCalls && oldest !== undefined) this.#calls.delete(oldest);
    return known;
  }

  /** Nothing more will be said. */
  end(): void {
    this.#lines.end();
  }

  #say(text: string, message: string | undefined): void {
    if (message !== this.#message && this.#said.length > 0) this.#keep('\n');
    this.#message = message;
    this.#keep(text);
  }

  #keep(text: string): void {
    this.#lines.push(text);
    this.#said.push(text);
    this.#chars += text.length;
    if (this.#chars > 2 * mostChars) {
      this.#said = [this.text];
      this.#chars = mostChars;
    }
  }

  #use(update: Extract<Update, { sessionUpdate: 'tool_call' | 'tool_call_update' }>): void {
    const { sessionUpdate, ...news } = update;
    const call = this.known(news);
    if (sessionUpdate === 'tool_call') this.#log.line(`tool: ${nameOf(call)}${placesOf(call)}`);
    else if (news.status === 'completed' || news.status === 'failed')
      this.#log.line(`tool: ${nameOf(call)}: ${news.status}`);
  }
}

/** What a tool call is called, for people. */
export function nameOf({ title, kind, toolCallId }: ToolCall): string {
  return title ?? kind ?? toolCallId;
}

function placesOf({ locations }: ToolCall): string {
  const paths = (locations ?? []).map(({ path }) => path);
  return paths.length === 0 ? '' : ` (${paths.join(', ')})`;
}
