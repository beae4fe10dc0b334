import { writeFileSync } from 'node:fs';
import { type AnyPlugin, definePlugin, type Hooks, hooks, type NewMessage, type TurnWork } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { openStore } from '../../../../test/store.ts';
import { type Approvals, Assistant, ChatTurns } from '../../src/assistant/index.ts';
import { answerIdOf, eventIdOf } from '../../src/assistant/message.ts';
import type { AssistantWorkspace } from '../../src/config/assistant-settings.ts';
import { ledgerFile } from '../../src/config/state.ts';
import { workspaceOf } from '../../src/config/workspace.ts';
import { fromDefinition } from '../../src/dialects/native.ts';
import { Kernel } from '../../src/kernel/index.ts';
import type { AnyPayload, LedgerStore, StoredEvent } from '../../src/ledger/index.ts';
import { Emitter } from '../../src/outbound/emitter.ts';
import { ProjectWorkshop } from '../../src/runs/project-workshop.ts';
import { Runs } from '../../src/runs/runs.ts';
import { findTemplate } from '../../src/runs/template/find.ts';
import { Launcher } from '../../src/sandbox/launcher.ts';

/** What a core answers to a message: a text, a whole result, or nothing at all. */
export type Play = (turn: TurnWork) => Promise<string | Record<string, unknown> | undefined>;

/** How a stage is set. */
export interface Setting {
  /** @default a new one */
  readonly dir?: string;
  readonly play?: Play;
  readonly workspaces?: readonly AssistantWorkspace[];
  readonly plugins?: readonly AnyPlugin[];
  readonly atOnce?: number;
  readonly approvals?: Approvals;
  /** Stands before the ledger. */
  readonly before?: (ledger: LedgerStore) => LedgerStore;
  readonly backoffMs?: (failures: number) => number;
}

/** A workspace with what is usual. */
export function workspace(name: string, more: Partial<AssistantWorkspace> = {}): AssistantWorkspace {
  return { ...workspaceOf(name, {}, 'terminal'), ...more };
}

/** A message as a channel hands it in. */
export function said(id: string, content = id, sender = 'ada'): NewMessage {
  return { id, content, sender, senderName: sender, timestamp: '2026-01-01T00:00:00.000Z' };
}

/** Answers with what it was told. */
export const echo: Play = async ({ goal }) => `you said: ${goal}`;

/** The assistant side of a host, with real parts, in a project of its own. */
export class Stage {
  readonly dir: string;
  readonly ledger: LedgerStore;
  readonly assistant: Assistant;
  readonly kernel: Kernel<Hooks>;
  readonly runs: Runs;
  readonly emitter: Emitter;
  readonly warnings: string[];
  readonly #launcher: Launcher;

  private constructor(
    parts: Pick<Stage, 'dir' | 'ledger' | 'assistant' | 'kernel' | 'runs' | 'emitter' | 'warnings'>,
    launcher: Launcher,
  ) {
    this.dir = parts.dir;
    this.ledger = parts.ledger;
    this.assistant = parts.assistant;
    this.kernel = parts.kernel;
    this.runs = parts.runs;
    this.emitter = parts.emitter;
    this.warnings = parts.warnings;
    this.#launcher = launcher;
  }

  /** Sets it, and begins. It is closed when the test is over. */
  static async set(setting: Setting = {}): Promise<Stage> {
    const {
      dir = folder({ 'patchbay.yaml': '' }),
      play = echo,
      workspaces = [workspace('home')],
      atOnce = 4,
    } = setting;
    const kernel = new Kernel<Hooks>(hooks);
    const plugins = [coreOf(play), ...(setting.plugins ?? [])];
    for (const plugin of plugins) kernel.register(fromDefinition(plugin, {}, () => silent));
    const opened = await openStore(ledgerFile(dir));
    const ledger = setting.before?.(opened) ?? opened;
    const edition = { version: null, digest: null, hide: <T>(value: T) => value, rights: null };
    const emitter = new Emitter(kernel, ledger, () => edition);
    const launcher = new Launcher({ project: dir });
    const turns = new ChatTurns();
    const cores = await kernel.call('agentCore', {});
    const settings = { core: { core: 'test', with: {} }, roles: {}, approvers: {} };
    const { chatOf, trace } = turns;
    const desk = {
      project: dir,
      launcher,
      cores,
      settings,
      env: process.env,
      llmProviders: async () => [],
      chatOf,
      trace,
    };
    const workshop = new ProjectWorkshop(desk);
    const casts = {
      cores,
      coreOf: (template: { roles: Record<string, { core: string }> }, role: string) =>
        nameOf(template.roles[role]?.core),
    };
    const runs = new Runs({ ledger, emitter, workshop, approvers: () => ({}), ...casts });
    const warnings: string[] = [];
    const assistant = new Assistant({
      kernel,
      ledger,
      emitter,
      runs,
      project: dir,
      settings: { name: 'Bay', channel: 'terminal', atOnce },
      workspaces: () => workspaces,
      turns,
      template: () => findTemplate('chat', dir),
      approvals: setting.approvals,
      warn: (message) => warnings.push(message),
      backoffMs: setting.backoffMs ?? (() => 20),
      lookMs: 20,
    });
    const stage = new Stage({ dir, ledger, assistant, kernel, runs, emitter, warnings }, launcher);
    onTestFinished(() => (setting.before === undefined ? stage.close() : stage.abandon()));
    await assistant.start();
    return stage;
  }

  /** As a host that ends in good order. */
  async close(): Promise<void> {
    await this.assistant.close();
    await this.#launcher.close();
    await this.ledger.close();
  }

  /** As one that is dead. */
  async abandon(): Promise<void> {
    await this.#launcher.close();
    await this.ledger.close();
  }

  /** All events of a name, or of a pattern. */
  async events(type: string): Promise<readonly AnyPayload[]> {
    const found: AnyPayload[] = [];
    for await (const { payload } of this.ledger.events({ type })) found.push(payload);
    return found;
  }

  /** What was said in all chats, in order: `home> hello`, `home< you said: hello`. */
  async talk(): Promise<string[]> {
    const told: string[] = [];
    for (const payload of await this.events('message:*')) {
      const { workspace: whose, content, is_bot } = payload as { workspace?: string; content: string; is_bot: boolean };
      told.push(`${whose}${is_bot ? '<' : '>'} ${content}`);
    }
    return told;
  }

  /** Waits for the answer to a message. */
  async answerTo(id: string, jid = 'terminal:home'): Promise<string> {
    const event = await this.happened(answerIdOf(eventIdOf(jid, id)));
    return (event.payload as { content: string }).content;
  }

  /** Waits for the event of an id. */
  async happened(id: string): Promise<StoredEvent> {
    const { promise, resolve } = Promise.withResolvers<StoredEvent>();
    const unhear = this.ledger.on('appended', ({ event }) => {
      if (event.id === id) resolve(event);
    });
    try {
      return (await this.ledger.event(id)) ?? (await promise);
    } finally {
      unhear();
    }
  }

  /** Waits until nothing is owed to anybody. */
  async rest(): Promise<void> {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const unhear = this.ledger.on('settled', () => resolve());
      try {
        if ((await this.ledger.owedPlugins()).length === 0) return;
        await promise;
      } finally {
        unhear();
      }
    }
  }
}

function nameOf(core: string | undefined): string {
  return core === undefined || core === 'default' ? 'test' : core;
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A core `test` that plays like this. */
export function coreOf(play: Play, name = 'test'): AnyPlugin {
  const run = async (turn: TurnWork) => {
    const answer = await play(turn);
    if (answer === undefined) return;
    const result = typeof answer === 'string' ? { summary: answer } : answer;
    writeFileSync(turn.result_file, JSON.stringify(result));
  };
  return definePlugin({ name: `core-${name}`, version: '1.0.0', provides: { agentCore: () => ({ name, run }) } });
}
