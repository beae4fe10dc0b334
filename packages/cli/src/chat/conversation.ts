import type { Pending } from './api.ts';
import type { ChatEvent } from './follow.ts';

/** Something that people are to see of a chat. */
export type Shown =
  /** What was typed here has arrived, as this event. */
  | { readonly kind: 'own'; readonly event_id: string }
  | { readonly kind: 'said'; readonly who: string; readonly text: string; readonly is_bot: boolean }
  /** A piece of an answer, as it comes. */
  | { readonly kind: 'piece'; readonly text: string }
  /** An answer is complete. Of its text, `rest` was not shown yet; `answers` is the event that it answers. */
  | {
      readonly kind: 'answer';
      readonly who: string;
      readonly text: string;
      readonly rest: string;
      readonly answers: string | null;
      /** Whether it says no more than that there is none. */
      readonly failed: boolean;
    }
  | { readonly kind: 'tool'; readonly text: string }
  | { readonly kind: 'asked'; readonly call: Pending }
  | {
      readonly kind: 'decided';
      readonly id: string;
      readonly tool: string;
      readonly decision: string;
      readonly by: string;
    }
  | { readonly kind: 'working'; readonly active: boolean }
  | { readonly kind: 'cleared' };

type Fields = Readonly<Record<string, unknown>>;

/** What is seen of one chat: events in, what people are to see out. It shows nothing twice. */
export class Conversation {
  readonly #workspace: string;
  /** The chat. */
  readonly jid: string;
  /** Events that are on the screen already. */
  readonly #known: Set<string>;
  /** What was typed here, by the id of the message. */
  readonly #own = new Set<string>();
  /** The run that works on the present message. */
  #run: string | null = null;
  #isCompleted = false;
  /** What an agent has said since it began to work on the present message. */
  #streamed = '';

  /** `known`: what was shown as history. */
  constructor(workspace: string, known: Iterable<string> = []) {
    this.#workspace = workspace;
    this.jid = `terminal:${workspace}`;
    this.#known = new Set(known);
  }

  /** A message of that id is typed here: it is on the screen. */
  typed(message_id: string): void {
    this.#own.add(message_id);
  }

  /** What is to be shown of an event; nothing, mostly. */
  take({ id, type, run_id, payload }: ChatEvent): readonly Shown[] {
    if (this.#known.has(id)) return [];
    if (type.startsWith('approval:')) return this.#approval(type, payload);
    if (type === 'run:completed' && run_id === this.#run) this.#isCompleted = true;
    if (payload['chat_jid'] !== this.jid) return [];
    switch (type) {
      case 'message:received':
        if (this.#own.delete(String(payload['message_id']))) return [{ kind: 'own', event_id: id }];
        return [{ kind: 'said', who: nameIn(payload), text: String(payload['content']), is_bot: false }];
      case 'message:sent':
        return [this.#answer(payload)];
      case 'agent:activity':
        return this.#activity(payload, run_id);
      case 'agent:trace':
        return this.#trace(payload);
      case 'chat:cleared':
        return [{ kind: 'cleared' }];
      default:
        return [];
    }
  }

  #answer(payload: Fields): Shown {
    const text = String(payload['content']);
    const answers = typeof payload['answers'] === 'string' ? payload['answers'] : null;
    const rest = restOf(text, this.#streamed);
    const failed = answers !== null && this.#run !== null && !this.#isCompleted;
    this.#streamed = '';
    if (answers !== null) this.#run = null;
    return { kind: 'answer', who: nameIn(payload), text, rest, answers, failed };
  }

  #activity(payload: Fields, run_id: string | null): Shown[] {
    const active = payload['active'] === true;
    // The same one begins again where the host was started again: what it has said by then is on the screen.
    if (active && run_id !== this.#run) {
      this.#run = run_id;
      this.#isCompleted = false;
      this.#streamed = '';
    }
    return [{ kind: 'working', active }];
  }

  #trace(payload: Fields): Shown[] {
    const data = (payload['data'] ?? {}) as Fields;
    if (payload['trace_type'] === 'tool_use') return [{ kind: 'tool', text: toolLine(data) }];
    if (payload['trace_type'] !== 'text' || typeof data['text'] !== 'string') return [];
    this.#streamed += data['text'];
    return [{ kind: 'piece', text: data['text'] }];
  }

  #approval(type: string, payload: Fields): Shown[] {
    const call = payload['call'] as { tool: string; workspace: string | null; input: Fields } | undefined;
    if (call === undefined || call.workspace !== this.#workspace) return [];
    const { tool, workspace, input } = call;
    const id = String(payload['approval_id']);
    if (type === 'approval:requested') {
      const expires_at = payload['expires_at'] as string | null;
      return [{ kind: 'asked', call: { approval_id: id, tool, workspace, input, expires_at } }];
    }
    const [decision, by] = [String(payload['decision']), String(payload['approver'])];
    return [{ kind: 'decided', id, tool, decision, by }];
  }
}

/** What of an answer was not said before, as it came. */
function restOf(text: string, streamed: string): string {
  const [whole, before] = [text.trim(), streamed.trim()];
  if (before === '') return text;
  if (before.endsWith(whole)) return '';
  return whole.startsWith(before) ? whole.slice(before.length) : text;
}

function nameIn(payload: Fields): string {
  return String(payload['sender_name'] ?? '');
}

function toolLine({ tool, decision, by, ok, error, input }: Fields): string {
  const came = ok === true ? 'done' : `failed: ${String(error ?? 'it does not say why')}`;
  const how = decision === 'refused' ? `refused by ${String(by)}` : came;
  return `${String(tool)} → ${how}${typeof input === 'string' ? `  ${input}` : ''}`;
}
