import { type NewMessage, PatchbayError } from 'patchbay-sdk';
import type { AssistantWorkspace } from '../config/assistant-settings.ts';
import { type LedgerStore, newEvent } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { type Approvals, isCommand, obey } from './commands.ts';
import { type Directory, maySpeak } from './directory.ts';
import {
  answerIdOf,
  apart,
  checked,
  eventIdOf,
  isOfBot,
  type Received,
  scheduled,
  senderOf,
  timeOf,
} from './message.ts';
import { chatQueue, folderOf } from './queues.ts';
import type { Speaker } from './speaker.ts';
import { terminalChat } from './terminal.ts';

/** What messages are taken with. */
export interface IntakeParts {
  readonly ledger: LedgerStore;
  readonly emitter: Pick<Emitter, 'owes'>;
  readonly directory: Directory;
  readonly speaker: Speaker;
  readonly approvals: Approvals | undefined;
  readonly clear: (jid: string, by: string) => Promise<void>;
  /** A workspace has something to do. */
  readonly wake: (folder: string) => void;
  readonly warn: (message: string) => void;
}

/** A prompt that nobody said: a schedule gives it. */
export interface Prompt {
  /** The same one is given once. */
  readonly id: string;
  readonly text: string;
  /** Whether it knows what was said before, and the chat of it. */
  readonly context: 'shared' | 'isolated';
}

type Said = Pick<Received, 'event_id' | 'chat_jid' | 'sender_name' | 'content' | 'timestamp' | 'sender' | 'message_id'>;

/** Of so many who are not listened to it is remembered that it was told. */
const mostRefused = 1000;

/** Takes what is said to the assistant: written down, with an answer owed. */
export class Intake {
  readonly #parts: IntakeParts;
  /** How many messages were not taken, by chat and sender. */
  readonly #refused = new Map<string, number>();
  /** By workspace, the prompts that are not answered yet. */
  readonly #prompts = new Map<string, Set<string>>();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Finds the prompts that a host before left. */
  async start(): Promise<void> {
    const { ledger } = this.#parts;
    for (const { plugin } of await ledger.owedPlugins()) {
      const folder = folderOf(plugin);
      if (folder === undefined) continue;
      for await (const { event_id } of ledger.deliveries({ plugin, handler: prompted, status: ['owed'] })) {
        this.#promptsOf(folder).add(event_id);
      }
    }
  }

  /** See `Assistant.take`. */
  async take(chat: string, message: NewMessage): Promise<void> {
    const { jid, id, content, timestamp, sender, senderName } = checked(chat, message);
    if (isOfBot(message)) return;
    const workspace = this.#parts.directory.ofChat(jid);
    if (workspace === undefined) return this.#refuse(jid, sender, 'no workspace has this chat');
    if (!maySpeak(workspace, jid, sender)) {
      return this.#refuse(jid, sender, `they are none of the senders of workspace "${workspace.folder}"`);
    }
    await this.#store(workspace, answering, {
      event_id: eventIdOf(jid, id),
      chat_jid: jid,
      sender_name: senderName === '' ? sender : senderName,
      content,
      timestamp: timeOf(timestamp),
      sender: senderOf(sender),
      message_id: id,
    });
  }

  /** See `Assistant.prompt`. */
  async prompt(workspace: AssistantWorkspace, { id, text, context }: Prompt): Promise<void> {
    const { folder, chats } = workspace;
    const event_id = promptId(folder, id);
    await this.#store(workspace, prompted, {
      event_id,
      chat_jid: chats[0] ?? terminalChat(folder),
      sender_name: scheduled,
      content: text,
      timestamp: new Date().toISOString(),
      sender: context === 'isolated' ? apart : scheduled,
      message_id: id,
    });
  }

  /** Whether a prompt was given. */
  async wasPrompted(folder: string, id: string): Promise<boolean> {
    return (await this.#parts.ledger.event(promptId(folder, id))) !== undefined;
  }

  /** Whether a prompt that a workspace was given is not answered yet. */
  isPrompted(folder: string): boolean {
    return (this.#prompts.get(folder)?.size ?? 0) > 0;
  }

  /** A message was answered. */
  answered(folder: string, event_id: string): void {
    this.#prompts.get(folder)?.delete(event_id);
  }

  async #store(workspace: AssistantWorkspace, handler: string, said: Said): Promise<void> {
    const { ledger, emitter, wake } = this.#parts;
    const { folder } = workspace;
    const message = newEvent('message:received', { ...said, is_bot: false, workspace: folder });
    if (handler === answering && isCommand(said.content)) return this.#obey(workspace, message);
    const owed = { plugin: chatQueue(folder), handler, awaited: true };
    const { known } = await ledger.append(message, [owed, ...emitter.owes('message:received')]);
    if (known) return;
    if (handler === prompted) this.#promptsOf(folder).add(message.event_id);
    wake(folder);
  }

  /** At once: the workspace may be busy with just what it is about. */
  async #obey(workspace: AssistantWorkspace, message: Received): Promise<void> {
    const { ledger, emitter, speaker, approvals, clear } = this.#parts;
    const { event_id, chat_jid: jid, content, sender_name: by } = message;
    if ((await ledger.event(event_id)) !== undefined) return;
    const text = await obey(content, { workspace, by, approvals, clear: () => clear(jid, by) });
    await ledger.append(message, emitter.owes('message:received'));
    const about = { jid, workspace: workspace.folder, answers: event_id, event_id: answerIdOf(event_id) };
    await speaker.say({ ...about, text, isApart: true });
  }

  #refuse(jid: string, sender: string, why: string): void {
    const whose = `${jid} ${sender}`;
    const count = (this.#refused.get(whose) ?? 0) + 1;
    if (count === 1 && this.#refused.size >= mostRefused) this.#refused.clear();
    this.#refused.set(whose, count);
    if (count === 1) this.#parts.warn(`messages of "${sender}" in ${jid} are not taken: ${why}`);
  }

  #promptsOf(folder: string): Set<string> {
    let prompts = this.#prompts.get(folder);
    if (prompts === undefined) {
      prompts = new Set();
      this.#prompts.set(folder, prompts);
    }
    return prompts;
  }
}

/** What is owed for a message, and for a prompt. */
const answering = 'answer';
const prompted = 'answer to a schedule';

function promptId(folder: string, id: string): string {
  return eventIdOf(`schedule of ${folder}`, id);
}

/** A host that goes takes nothing more. */
export function gone(): PatchbayError {
  return new PatchbayError('LEDGER_WRITE', 'the host is closing: it takes no more messages');
}
