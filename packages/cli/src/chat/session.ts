import { randomUUID } from 'node:crypto';
import { messageOf, PatchbayError, suggestion } from 'patchbay-sdk';
import { type ChatApi, HostGone, type Pending, patiently, type Said } from './api.ts';
import { Conversation, type Shown } from './conversation.ts';
import { type ChatEvent, follow } from './follow.ts';
import type { Look } from './render.ts';
import { helpText, meant, type Slash } from './slash.ts';

/** What happens in a chat: an event with what is to be seen of it, or that the host went or came back. */
export type ChatNews =
  | { readonly kind: 'event'; readonly event: ChatEvent; readonly shown: readonly Shown[] }
  | { readonly kind: 'gone' | 'back' };

/** Who talks with which workspace, by which host. */
export interface SessionParts {
  readonly api: ChatApi;
  readonly workspace: string;
  readonly sender: string;
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
}

const shownAtFirst = 20;

/** The workspace that is meant: the one that is named, the only one, or `home`. Throws USAGE. */
export function chosen(workspaces: readonly string[], named: string | undefined): string {
  if (workspaces.length === 0) {
    throw new PatchbayError('USAGE', 'the project has no workspace to talk with', {
      hint: 'Add one under "workspaces" in patchbay.yaml, or begin with: patchbay init --template assistant',
    });
  }
  if (named !== undefined) {
    if (workspaces.includes(named)) return named;
    throw new PatchbayError('USAGE', `there is no workspace "${named}"; ${suggestion(named, workspaces)}`);
  }
  const [only] = workspaces;
  if (workspaces.length === 1 && only !== undefined) return only;
  if (workspaces.includes('home')) return 'home';
  throw new PatchbayError('USAGE', `which workspace? There are ${workspaces.join(', ')}`);
}

/** One chat with a workspace. */
export class Session {
  readonly #parts: SessionParts;
  readonly #afterSeq: number;
  readonly #conversation: Conversation;
  /** What was said before. */
  readonly history: readonly Said[];
  /** What waited for a person when it began. */
  readonly waiting: readonly Pending[];

  private constructor(parts: SessionParts, afterSeq: number, history: readonly Said[], waiting: readonly Pending[]) {
    this.#parts = parts;
    this.#afterSeq = afterSeq;
    this.history = history;
    this.waiting = waiting;
    this.#conversation = new Conversation(parts.workspace, [
      ...history.map(({ event_id }) => event_id),
      ...waiting.map(({ approval_id }) => approval_id),
    ]);
  }

  /** Looks what was said before. */
  static async open(parts: SessionParts): Promise<Session> {
    const { api, workspace, signal } = parts;
    return patiently(async () => {
      // What happens while the history is read is in both, and shown once.
      const seq = await api.lastSeq();
      const history = await api.history(workspace, shownAtFirst);
      return new Session(parts, seq, history, await api.pending(workspace));
    }, signal);
  }

  get workspace(): string {
    return this.#parts.workspace;
  }

  /** The chat, as events call it. */
  get jid(): string {
    return this.#conversation.jid;
  }

  get sender(): string {
    return this.#parts.sender;
  }

  /** What happens from now on, until the end of the session. */
  async *news(): AsyncGenerator<ChatNews> {
    const { api, signal } = this.#parts;
    for await (const one of follow(api, this.#afterSeq, signal)) {
      if (one.kind === 'event') yield { ...one, shown: this.#conversation.take(one.event) };
      else yield one;
    }
  }

  /** Says something, as soon as the host is there; it is said once. */
  async say(text: string): Promise<void> {
    const { api, workspace, sender, signal } = this.#parts;
    const message_id = randomUUID();
    this.#conversation.typed(message_id);
    await patiently(() => api.say(workspace, { text, sender, message_id }), signal);
  }

  /** Does what a command says; gives what is to be shown of it. Never rejects. */
  async command(name: Exclude<Slash, 'quit'>, args: string, look: Look): Promise<string> {
    const { api, workspace } = this.#parts;
    try {
      switch (name) {
        case 'help':
          return helpText();
        case 'pending':
          return look.pending(await api.pending(workspace), new Date());
        case 'clear':
          await api.clear(workspace);
          return '';
        case 'history':
          return look.history(await api.history(workspace, countIn(args)));
        default:
          return await this.#decide(name, args, look);
      }
    } catch (error) {
      return look.problem(error instanceof HostGone ? 'the host is gone: try again when it is back' : messageOf(error));
    }
  }

  async #decide(name: 'approve' | 'deny', args: string, look: Look): Promise<string> {
    const { api, workspace, sender } = this.#parts;
    const pending = await api.pending(workspace);
    const [first = '', rest = ''] = splitOnce(args);
    // One that waits alone need not be named: what stands in its place is the reason.
    const isNamed = pending.some(({ approval_id }) => first !== '' && approval_id.startsWith(first));
    const id = !isNamed && name === 'deny' && pending.length === 1 ? '' : first;
    const call = meant(pending, id);
    if (typeof call === 'string') return look.problem(call);
    const why = id === '' ? args : rest;
    await api.decide(call.approval_id, name === 'approve' ? 'approved' : 'refused', sender, why === '' ? null : why);
    return look.aside(`${call.tool} is ${name === 'approve' ? 'approved' : 'refused'}`);
  }
}

function splitOnce(text: string): string[] {
  return /^(\S*)\s*([\s\S]*)$/.exec(text)?.slice(1) ?? [];
}

function countIn(args: string): number {
  if (args === '') return shownAtFirst;
  const count = Number(args);
  if (Number.isInteger(count) && count > 0 && count <= 200) return count;
  throw new Error('/history takes a number from 1 to 200');
}
