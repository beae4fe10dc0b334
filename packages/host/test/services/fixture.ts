import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyPlugin, ServiceTool } from 'patchbay-sdk';
import { memoryPlugin } from 'plugin-memory';
import { onTestFinished } from 'vitest';
import { project } from '../../../../test/project.ts';
import { openBeside } from '../../../../test/store.ts';
import { type OpenMemory, openMemory } from '../../src/capabilities/index.ts';
import type { AssistantWorkspace, ServiceSettings } from '../../src/config/assistant-settings.ts';
import { type Host, openHost } from '../../src/host.ts';
import type { LedgerStore, StoredEvent } from '../../src/ledger/index.ts';
import { type Edition, Emitter } from '../../src/outbound/emitter.ts';
import { type CallRecord, callIn } from '../../src/services/record.ts';
import { Services, type ServicesParts } from '../../src/services/services.ts';
import type { ToolUser } from '../../src/services/turn-tools.ts';

/** Everything is let through, unless a test says otherwise. */
export const lenient: ServiceSettings = {
  tier: 'always-approve',
  perHour: null,
  perToolPerHour: null,
  tools: {},
  rules: [],
  approvalMs: 60_000,
  handlerMs: 5_000,
};

const unknown: Edition = { version: null, digest: null, hide: (value) => value, rights: null };

/** A plugin that brings tools. */
export function toolPlugin(name: string, tools: Readonly<Record<string, ServiceTool>>): AnyPlugin {
  return { name, version: '1.0.0', provides: { serviceTools: () => tools } } as unknown as AnyPlugin;
}

/** How a stage differs from the usual one. */
export interface Setting {
  readonly plugins?: readonly AnyPlugin[];
  /** Modules of the project, by name. */
  readonly modules?: Readonly<Record<string, string>>;
  readonly settings?: Partial<ServiceSettings>;
  readonly workspaces?: readonly Partial<AssistantWorkspace>[];
  readonly parts?: Partial<ServicesParts>;
  readonly withMemory?: boolean;
  /** What is known of every plugin. */
  readonly edition?: Edition;
}

/** The tools of a project at work, on a real ledger that can be closed and opened again as a host does that was ended. */
export class Stage {
  readonly dir: string;
  readonly warnings: string[] = [];
  readonly #setting: Setting;
  readonly #host: Host;
  #ledger!: LedgerStore;
  #services!: Services;

  private constructor(dir: string, setting: Setting, host: Host) {
    this.dir = dir;
    this.#setting = setting;
    this.#host = host;
  }

  static async open(setting: Setting = {}): Promise<Stage> {
    const dir = project(setting.modules ?? {});
    const host = await openHost({
      cwd: dir,
      version: '0.0.0',
      builtins: setting.withMemory === true ? [memoryPlugin] : [],
    });
    for (const plugin of setting.plugins ?? []) host.load(plugin);
    const stage = new Stage(dir, setting, host);
    await stage.begin();
    onTestFinished(async () => {
      await stage.end();
      await host.close();
    });
    return stage;
  }

  get services(): Services {
    return this.#services;
  }

  get ledger(): LedgerStore {
    return this.#ledger;
  }

  get host(): Host {
    return this.#host;
  }

  /** Opens the ledger and goes to work. */
  async begin(): Promise<void> {
    const { settings, workspaces = [], parts, edition = unknown } = this.#setting;
    const { kernel } = this.#host;
    mkdirSync(join(this.dir, '.patchbay'), { recursive: true });
    this.#ledger = await openBeside(this.dir);
    const emitter = new Emitter(kernel, this.#ledger, () => edition);
    let memory: Promise<OpenMemory | undefined> | undefined;
    this.#services = new Services({
      kernel,
      ledger: this.#ledger,
      emitter,
      settings: { ...lenient, ...settings },
      workspaceOf: (folder) => workspaces.find((one) => one.folder === folder) as AssistantWorkspace | undefined,
      memory: () => {
        memory ??= openMemory(kernel, this.dir);
        return memory;
      },
      warn: (message) => void this.warnings.push(message),
      ...parts,
    });
    await this.#services.start();
  }

  /** Ends the work and closes the ledger, as a host does. */
  async end(): Promise<void> {
    await this.#services.close();
    await this.#ledger.close();
  }

  /** Somebody who calls tools. */
  user(changes: Partial<ToolUser> = {}): ToolUser {
    const dir = join(this.dir, '.patchbay/runs/run/turns/turn-1');
    mkdirSync(dir, { recursive: true });
    return {
      key: 'run/turn/1',
      run_id: 'run',
      turn_id: 'turn',
      role: 'assistant',
      workspace: 'home',
      chat_jid: 'terminal:home',
      dir,
      signal: new AbortController().signal,
      ...changes,
    };
  }

  /** The tools of a turn. */
  turn(changes: Partial<ToolUser> = {}) {
    return this.#services.open(this.user(changes));
  }

  async events(type: string): Promise<readonly StoredEvent[]> {
    const found: StoredEvent[] = [];
    for await (const event of this.#ledger.events({ type })) found.push(event);
    return found;
  }

  /** What was written down of calls. */
  async records(): Promise<readonly CallRecord[]> {
    return (await this.events('agent:trace')).map(callIn).filter((call) => call !== undefined);
  }

  /** The call that waits for a person, as soon as one does. */
  async waiting() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const undo = this.#ledger.on('appended', ({ event }) => {
      if (event.type === 'approval:requested') resolve();
    });
    const [there] = await this.#services.pending();
    if (there === undefined) await promise;
    undo();
    const [pending] = await this.#services.pending();
    if (pending === undefined) throw new Error('nothing waits');
    return pending;
  }
}
