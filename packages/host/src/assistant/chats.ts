import { join } from 'node:path';
import { type EventName, type Hooks, messageOf, type NewMessage, PatchbayError } from 'patchbay-sdk';
import type { AssistantSettings, AssistantWorkspace } from '../config/assistant-settings.ts';
import { stateDir } from '../config/state.ts';
import type { Kernel } from '../kernel/index.ts';
import { type EventFields, type LedgerStore, newEvent, type StoredEvent } from '../ledger/index.ts';
import type { Emitter } from '../outbound/emitter.ts';
import { tellingOfFailures } from '../outbound/failed.ts';
import type { Runs } from '../runs/runs.ts';
import type { Template } from '../runs/template/template.ts';
import { Answering, runOf } from './answering.ts';
import { type ChannelContext, Channels, type ChannelsParts } from './channels.ts';
import type { Approvals } from './commands.ts';
import { Directory } from './directory.ts';
import { type HeardMessage, heard, lastHeard } from './heard.ts';
import { gone, Intake, type Prompt } from './intake.ts';
import { Leftovers } from './leftovers.ts';
import { answerIdOf, eventIdOf, type Received } from './message.ts';
import { Outfit } from './outfit.ts';
import { Postbox } from './postbox.ts';
import { chatQueue } from './queues.ts';
import { Speaker } from './speaker.ts';
import { Tails } from './tails.ts';
import { terminalChat, terminalFolder } from './terminal.ts';
import { Traces } from './traces.ts';
import type { ChatTurns } from './turns.ts';
import { Workers } from './workers.ts';

/** What the assistant side of a host works with. */
export interface AssistantParts {
  readonly kernel: Kernel<Hooks>;
  readonly ledger: LedgerStore;
  readonly emitter: Emitter;
  readonly runs: Pick<Runs, 'request' | 'advance' | 'abort' | 'rest'>;
  /** The folder of the project. */
  readonly project: string;
  readonly settings: Pick<AssistantSettings, 'name' | 'channel' | 'atOnce'>;
  /** As they are now; the same array as long as they are the same. */
  readonly workspaces: () => readonly AssistantWorkspace[];
  /** The same that the runs were made with. */
  readonly turns: ChatTurns;
  /** The template of runs that answer, as it is now. */
  readonly template: () => Template;
  /** Where people decide about calls of tools. @default nowhere */
  readonly approvals?: Approvals | undefined;
  /** Hears what goes wrong. */
  readonly warn: (message: string) => void;
  /** How long to wait after so many failures in a row: of a channel, a chat, a workspace. @default from 1 s to 5 min */
  readonly backoffMs?: (failures: number) => number;
  /** How often it is looked whether channels are connected. @default 5 seconds */
  readonly lookMs?: NonNullable<ChannelsParts['lookMs']>;
}

/** A workspace, and what it has to do. */
export interface ChatOverview {
  readonly workspace: string;
  readonly name: string;
  readonly chats: readonly { readonly jid: string; readonly name: string | null; readonly active_at: string | null }[];
  /** How many messages wait for an answer, the one that is worked on included. */
  readonly queue: number;
  readonly busy: boolean;
}

/** Of so many chats it is remembered what their channels say of them. */
const mostChats = 10_000;

/** Talks with people: takes their messages, has each answered by a run, and sends the answers. */
export class Assistant {
  readonly #parts: AssistantParts;
  readonly #directory: Directory;
  readonly #tails: Tails;
  readonly #traces: Traces;
  readonly #channels: Channels;
  readonly #postbox: Postbox;
  readonly #speaker: Speaker;
  readonly #intake: Intake;
  readonly #workers: Workers;
  readonly #leftovers: Leftovers;
  /** What channels say of chats. */
  readonly #about = new Map<string, { readonly name: string | null; readonly active_at: string }>();
  #unhear: () => void = () => {};
  #closed = false;

  constructor(parts: AssistantParts) {
    const { kernel, ledger, emitter, settings, turns, warn, lookMs } = parts;
    const { name } = settings;
    const backoff = parts.backoffMs === undefined ? {} : { backoffMs: parts.backoffMs };
    this.#parts = parts;
    this.#directory = new Directory(parts.workspaces);
    this.#tails = new Tails(ledger);
    this.#traces = new Traces((fields) => this.#tell('agent:trace', fields));
    turns.attach(({ jid }, { run_id }, { turn_id, role }, kind, text) => {
      this.#traces.add({ chat_jid: jid, run_id, turn_id, role }, kind, text);
    });
    this.#channels = new Channels({
      kernel,
      context: this.#context(),
      preferred: settings.channel,
      connected: (channel) => this.#postbox.wake(channel),
      problem: ({ message }) => warn(message),
      ...backoff,
      ...(lookMs === undefined ? {} : { lookMs }),
    });
    const link = (channel: string) => this.#channels.link(channel);
    this.#postbox = new Postbox({ ledger, link, name, failed: tellingOfFailures(emitter), warn, ...backoff });
    const ownerOf = (jid: string) => this.#channels.ownerOf(jid);
    this.#speaker = new Speaker({ ledger, emitter, tails: this.#tails, name, ownerOf });
    this.#intake = new Intake({
      ledger,
      emitter,
      directory: this.#directory,
      speaker: this.#speaker,
      approvals: parts.approvals,
      clear: (jid, by) => this.clear(jid, by),
      wake: (folder) => this.#workers.wake(folder),
      warn,
    });
    this.#leftovers = new Leftovers({ ledger, runs: join(stateDir(parts.project), 'runs') });
    this.#workers = this.#makeWorkers(backoff);
  }

  /** Connects the channels, and goes on with what was left. */
  async start(): Promise<void> {
    this.#unhear = this.#parts.ledger.on('appended', ({ event }) => {
      if (event.type === 'approval:requested') this.#asked(event);
    });
    await this.#intake.start();
    await this.#channels.start();
    await this.#postbox.start();
    await this.#workers.start();
    await this.#leftovers.start();
  }

  /**
   * Takes a message; it is durable when this resolves, and will be answered. One that was taken before changes nothing, and those
   * of chats and people that are nobody's here are not kept. Throws EVENT_INVALID for what is no message.
   */
  async take(jid: string, message: NewMessage): Promise<void> {
    if (this.#closed) throw gone();
    await this.#intake.take(jid, message);
  }

  /** What `take` does for somebody at the terminal. Gives the event. Throws WORKSPACE_UNKNOWN. */
  async takeTyped(folder: string, { id, sender, text }: { id: string; sender: string; text: string }): Promise<string> {
    this.workspace(folder);
    const jid = terminalChat(folder);
    await this.take(jid, { id, sender, senderName: sender, content: text, timestamp: new Date().toISOString() });
    return eventIdOf(jid, id);
  }

  /** Gives a workspace something to do; it is durable when this resolves. Throws WORKSPACE_UNKNOWN. */
  async prompt(folder: string, prompt: Prompt): Promise<void> {
    if (this.#closed) throw gone();
    await this.#intake.prompt(this.workspace(folder), prompt);
  }

  /** Whether a prompt was given. */
  wasPrompted(folder: string, id: string): Promise<boolean> {
    return this.#intake.wasPrompted(folder, id);
  }

  /** Whether a prompt that a workspace was given is not answered yet. */
  isPrompted(folder: string): boolean {
    return this.#intake.isPrompted(folder);
  }

  /** Says something in a chat; it is durable when this resolves, and sent as soon as it can be. */
  async send(jid: string, text: string): Promise<void> {
    if (this.#closed) throw gone();
    await this.#speaker.say({ jid, text, workspace: this.#directory.ofChat(jid)?.folder ?? null });
  }

  /** Has a chat forget what was said; durable when it resolves. What waits for an answer still gets one. */
  async clear(jid: string, by: string): Promise<void> {
    await this.#parts.emitter.emit(newEvent('chat:cleared', { chat_jid: jid, summary: `cleared by ${by}` }));
    this.#tails.clear(jid);
  }

  /** What was said last in a chat since it was cleared, the oldest first. */
  history(jid: string, limit: number): Promise<readonly HeardMessage[]> {
    return heard(this.#parts.ledger, jid, limit);
  }

  /** The workspace of a name. Throws WORKSPACE_UNKNOWN. */
  workspace(folder: string): AssistantWorkspace {
    const workspace = this.#directory.ofFolder(folder);
    if (workspace !== undefined) return workspace;
    throw new PatchbayError('WORKSPACE_UNKNOWN', `there is no workspace "${folder}"`);
  }

  /** The workspace whose chat this is; undefined if it is nobody's. */
  workspaceOf(jid: string): AssistantWorkspace | undefined {
    return this.#directory.ofChat(jid);
  }

  /** All workspaces, and what they have to do. */
  async overview(): Promise<readonly ChatOverview[]> {
    const owed = await this.#parts.ledger.owedPlugins();
    const queues = new Map(owed.map(({ plugin, count }) => [plugin, count]));
    const shown = (jid: string) => ({ jid, ...(this.#about.get(jid) ?? { name: null, active_at: null }) });
    return this.#directory.all.map((workspace) => ({
      workspace: workspace.folder,
      name: workspace.name,
      chats: this.#directory.chatsOf(workspace).map(shown),
      queue: queues.get(chatQueue(workspace.folder)) ?? 0,
      busy: this.#workers.isBusy(workspace.folder),
    }));
  }

  /** All channels, and whether they are connected. */
  get channels(): Channels['all'] {
    return this.#channels.all;
  }

  /** Takes and sends nothing more, and stops the work under way; the next host goes on with all of it. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unhear();
    await Promise.all([this.#channels.close(), this.#workers.close(), this.#postbox.close()]);
    await this.#leftovers.close();
    this.#traces.close();
  }

  #makeWorkers(backoff: Pick<AssistantParts, 'backoffMs'>): Workers {
    const { kernel, project, settings, warn } = this.#parts;
    const outfit = new Outfit({ kernel, project, problem: warn });
    const answering = new Answering({
      ...this.#parts,
      tails: this.#tails,
      speaker: this.#speaker,
      ready: (workspace) => outfit.ready(workspace),
      working: (message, run_id, active) => this.#working(message, run_id, active),
      shown: (run_id) => this.#traces.end(run_id),
    });
    return new Workers({
      ledger: this.#parts.ledger,
      directory: this.#directory,
      answering,
      atOnce: settings.atOnce,
      troubled: (folder, error) => warn(`workspace "${folder}": a message could not be answered: ${messageOf(error)}`),
      answered: (folder, { event }) => {
        this.#intake.answered(folder, event.id);
        this.#leftovers.add(runOf(event.id));
      },
      ...backoff,
    });
  }

  #context(): ChannelContext {
    return {
      onMessage: (jid, message) => this.take(jid, message),
      onChatMetadata: (jid, timestamp, name) => {
        if (this.#about.size >= mostChats) this.#about.clear();
        this.#about.set(String(jid), { active_at: String(timestamp), name: name === undefined ? null : String(name) });
      },
      registeredGroups: () => this.#directory.groups(),
      sendMessage: (jid, text) => this.send(String(jid), String(text)),
      lastMessage: (jid) => lastHeard(this.#parts.ledger, String(jid)),
      // Nothing follows from reactions yet; a channel need not know.
      onReaction: () => {},
    };
  }

  #working({ chat_jid }: Received, run_id: string, active: boolean): void {
    if (active) this.#traces.begin(run_id);
    this.#tell('agent:activity', { chat_jid, active, run_id });
    if (terminalFolder(chat_jid) === undefined) void this.#channels.typing(chat_jid, active);
  }

  /** People who are not at the terminal hear by their channel that something waits for them. */
  #asked({ id, payload }: StoredEvent): void {
    const { call, approval_id, waiting_for } = payload as { call?: { tool: string; chat_jid: string | null } } & {
      approval_id: string;
      waiting_for: string;
    };
    const jid = call?.chat_jid;
    if (jid == null || terminalFolder(jid) !== undefined) return;
    const text = `May I use ${call?.tool}? ${waiting_for}\nSay /approve ${approval_id} or /deny ${approval_id}.`;
    const workspace = this.#directory.ofChat(jid)?.folder ?? null;
    this.#speaker
      .say({ jid, text, workspace, event_id: answerIdOf(id), isApart: true })
      .catch((error) => this.#parts.warn(`could not ask in ${jid}: ${messageOf(error)}`));
  }

  /** Tells something that nothing depends on. */
  #tell<E extends EventName>(type: E, fields: EventFields<E>): void {
    this.#parts.emitter.emit(newEvent(type, fields)).catch((error) => {
      if (!this.#closed) this.#parts.warn(`${type} could not be written down: ${messageOf(error)}`);
    });
  }
}
