import { messageOf, PatchbayError } from 'patchbay-sdk';
import { v5 } from 'uuid';
import type { AssistantWorkspace } from '../config/assistant-settings.ts';
import { isSettled, type LedgerStore } from '../ledger/index.ts';
import { chatRunId } from '../runs/chat-run.ts';
import { unlabelled } from '../runs/labels.ts';
import type { Runs } from '../runs/runs.ts';
import type { RunState } from '../runs/state.ts';
import type { Template } from '../runs/template/template.ts';
import { answerOf, apology } from './answer.ts';
import { answerIdOf, isApart, type Received, scheduled } from './message.ts';
import type { Speaker } from './speaker.ts';
import type { Tails } from './tails.ts';
import type { ChatTurns } from './turns.ts';

/** A message that is to be answered. */
export type Due = Awaited<ReturnType<LedgerStore['owed']>>[number];

/** What messages are answered with. */
export interface AnsweringParts {
  readonly ledger: LedgerStore;
  readonly runs: Pick<Runs, 'request' | 'advance' | 'abort' | 'rest'>;
  readonly tails: Tails;
  readonly turns: ChatTurns;
  readonly speaker: Speaker;
  /** The template of runs that answer, as it is now. */
  readonly template: () => Template;
  /** Makes the folder of a workspace ready for a turn. Never rejects. */
  readonly ready: (workspace: AssistantWorkspace) => Promise<void>;
  /** Hears that work on a message begins, or has ended. */
  readonly working: (message: Received, run_id: string, active: boolean) => void;
  /** Nothing more is shown of a run: what is to be seen of it comes before its answer. */
  readonly shown: (run_id: string) => void;
}

/** What became of working on a message: it is answered, or its run waits for somebody. */
export type Worked = { readonly kind: 'answered' } | { readonly kind: 'waits'; readonly run_id: string };

/** Of ids that are derived from those of messages. */
const namespace = '3f1c9c52-6f0a-4c53-9c0c-5a8f7b1f0f7d';
/** A message whose run cannot be carried on is tried so often, then given up. */
const mostTries = 3;

/** The id of the run that answers a message. */
export function runOf(event_id: string): string {
  return chatRunId(v5(event_id, namespace));
}

/**
 * Answers one message: by a run, whose id follows from the message's, and an answer, whose id does too. Whenever the host dies in
 * between, doing it again goes on from there, and answers once.
 */
export class Answering {
  readonly #parts: AnsweringParts;

  constructor(parts: AnsweringParts) {
    this.#parts = parts;
  }

  /** Throws what is wrong with the host, for the message to be tried again; the last time that it is, says so in the chat. */
  async answer(due: Due, workspace: AssistantWorkspace, tries: number, signal: AbortSignal): Promise<Worked> {
    const { ledger, turns, working } = this.#parts;
    const message = due.event.payload as Received;
    const run_id = runOf(due.event.id);
    await this.#parts.ready(workspace);
    turns.begin(run_id, await this.#chatOf(due, workspace));
    working(message, run_id, true);
    let isWorking = true;
    const ended = () => {
      if (isWorking) working(message, run_id, false);
      isWorking = false;
    };
    try {
      const said = await this.#run(due, workspace, run_id, signal).catch((error) => {
        if (signal.aborted || tries < mostTries) throw error;
        return this.#giveUp(run_id, error);
      });
      if (said === undefined) return { kind: 'waits', run_id };
      this.#parts.shown(run_id);
      await this.#say(due, said);
      // Written together with what follows.
      ended();
      await ledger.settle(due.delivery.id, { status: 'ok', attempts: tries });
      turns.end(run_id);
      return { kind: 'answered' };
    } finally {
      ended();
    }
  }

  async #chatOf({ event }: Due, workspace: AssistantWorkspace) {
    const { tails } = this.#parts;
    const message = event.payload as Received;
    const { chat_jid: jid, sender_name: sender, content: text } = message;
    const isShared = contextOf(message, workspace) === 'shared';
    const history = isShared ? await tails.before(event) : [];
    if (!isApart(message)) tails.add(jid, event.id, { sender, text, is_bot: false });
    return { jid, workspace: workspace.folder, history };
  }

  /** What is to be said; undefined if the run waits. */
  async #run(
    { event }: Due,
    workspace: AssistantWorkspace,
    run_id: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { runs } = this.#parts;
    const message = event.payload as Received;
    try {
      await runs.request({
        run_id,
        template: castFor(workspace, this.#parts.template()),
        goal: message.content,
        by: message.sender_name === '' ? 'chat' : message.sender_name,
        inputs: {
          chat: {
            jid: message.chat_jid,
            workspace: workspace.folder,
            message: event.id,
            context: contextOf(message, workspace),
            repo_access: workspace.repoAccess,
          },
        },
        ...(await this.#before(event, workspace)),
      });
    } catch (error) {
      // It could never be carried out: whoever asked should know.
      if (!(error instanceof PatchbayError) || error.code === 'LEDGER_WRITE') throw error;
      return apology(`${error.message}. ${error.hint}`, null);
    }
    return this.#said(await runs.advance(run_id, signal), signal);
  }

  #said(state: RunState, signal: AbortSignal): string | undefined {
    if (isSettled(state.status)) return answerOf(state);
    signal.throwIfAborted();
    const rest = this.#parts.runs.rest(state);
    if (rest.at === 'rest') return undefined;
    if (rest.at === 'elsewhere') throw unlabelled(state.run_id, rest.lacking);
    throw new PatchbayError('INTERNAL', `run ${state.run_id} stopped though it could go on`, { run: state.run_id });
  }

  /** Where turns work in the repository, each goes on with what the one before it did. */
  async #before({ payload, seq }: Due['event'], { repoAccess }: AssistantWorkspace): Promise<{ builds_on?: string }> {
    if (!repoAccess) return {};
    const { chat_jid: chat } = payload as Received;
    const earlier = { chat, type: 'message:received', beforeSeq: seq, newestFirst: true, limit: 1 };
    for await (const { id } of this.#parts.ledger.events(earlier)) return { builds_on: runOf(id) };
    return {};
  }

  async #giveUp(run_id: string, error: unknown): Promise<string> {
    const why = messageOf(error);
    const { ledger, runs } = this.#parts;
    const row = await ledger.run(run_id);
    if (row !== undefined && !isSettled(row.status)) await runs.abort(run_id, 'assistant', why);
    return apology(why, row === undefined ? null : run_id);
  }

  async #say({ event }: Due, text: string): Promise<void> {
    const message = event.payload as Received;
    await this.#parts.speaker.say({
      jid: message.chat_jid,
      workspace: message.workspace ?? null,
      text,
      event_id: answerIdOf(event.id),
      answers: event.id,
      isApart: isApart(message),
    });
  }
}

function contextOf(message: Received, { contextMode }: AssistantWorkspace): 'shared' | 'isolated' {
  if (isApart(message)) return 'isolated';
  return message.sender === scheduled ? 'shared' : contextMode;
}

function castFor({ core }: AssistantWorkspace, template: Template): Template {
  if (core === null) return template;
  const cast = Object.entries(template.roles).map(([name, role]) => {
    const own = { ...role, core: core.core, with: { ...role.with, ...core.with }, isCast: true };
    // Reviewers and others that the template gives a core of its own keep it.
    return [name, role.core === 'default' ? own : role] as const;
  });
  return { ...template, roles: Object.fromEntries(cast) };
}
