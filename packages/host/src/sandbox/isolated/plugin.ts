import { setTimeout as sleep } from 'node:timers/promises';
import { hooks, PatchbayError } from 'patchbay-sdk';
import type { HandlerInput, Registration } from '../../kernel/index.ts';
import { Backoff } from './backoff.ts';
import { type Called, standIn } from './call.ts';
import { PluginProcess } from './child-process.ts';
import { type Command, commandOf } from './command.ts';
import { type Description, type IsolatedOptions, type Limits, type LoadParams, limitsOf } from './options.ts';

/** How long undoing what was deferred may take. */
const stopMs = 2000;

/**
 * A plugin in a process of its own: started when it is called, stopped when it is idle, started again after it
 * crashed. Whatever it does, it costs itself only.
 */
export class IsolatedPlugin {
  readonly #options: IsolatedOptions;
  readonly #limits: Required<Limits>;
  readonly #backoff = new Backoff();
  /** Calls of hooks that a plugin is told of even if it comes later, by handler: a new process has come later. */
  readonly #past = new Map<number, Called>();
  #description: Description | undefined;
  #command: Promise<Command> | undefined;
  #running: PluginProcess | undefined;
  #starting: Promise<PluginProcess> | undefined;
  #stopping: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #starts = 0;
  #lastExit: string | undefined;
  #loading: PluginProcess | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(options: IsolatedOptions) {
    this.#options = options;
    this.#limits = limitsOf(options.limits);
  }

  /**
   * What the plugin is, found out by loading it. Rejects like loading it in-process does: PLUGIN_LOAD, PLUGIN_INVALID,
   * CONFIG_INVALID, HANDLER_INVALID, HOOK_UNKNOWN, HOOK_ARGUMENT_UNKNOWN.
   */
  async describe(): Promise<Description> {
    await this.up();
    return this.#description as Description;
  }

  /**
   * The plugin as the kernel takes it. Needs no process: one is started when a handler is called. Give the scope that
   * registering it gives `close` to undo.
   */
  registration(description: Description): Registration {
    this.#description = description;
    const { name, dialect } = description;
    const handlers = description.handlers.map(({ hook, index, wraps, options }): HandlerInput => {
      const historic = (hooks as Record<string, { historic?: boolean }>)[hook]?.historic === true;
      const fn = standIn(this, hook, index, wraps, historic ? (called) => this.#past.set(index, called) : undefined);
      return wraps ? { ...options, hook, wrapper: fn } : { ...options, hook, handler: fn };
    });
    return dialect === undefined ? { name, handlers } : { name, dialect, handlers };
  }

  /** How it is: `pid` is that of its process group, `lastExit` says how the process before ended. */
  state(): { readonly running: boolean; readonly pid?: number; readonly starts: number; readonly lastExit?: string } {
    const pid = this.#running?.pid;
    return {
      running: this.#running !== undefined,
      starts: this.#starts,
      ...(pid === undefined ? {} : { pid }),
      ...(this.#lastExit === undefined ? {} : { lastExit: this.#lastExit }),
    };
  }

  /**
   * Ends it for good: has it undo what it deferred, then ends it and all it started. Rejects, when all of that is
   * over, if something could not be undone.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** The process if it is up and takes calls. Its idle time begins anew. */
  get running(): PluginProcess | undefined {
    this.#idle?.refresh();
    return this.#running?.takesCalls ? this.#running : undefined;
  }

  /** The process, started if need be, after a pause if it keeps ending. */
  up(): Promise<PluginProcess> {
    this.#starting ??= this.#ready().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #ready(): Promise<PluginProcess> {
    const present = this.#running;
    await present?.settled();
    return present?.takesCalls ? present : this.#start();
  }

  async #start(): Promise<PluginProcess> {
    await this.#stopping;
    await this.#pause();
    this.#command ??= commandOf(this.#options, this.#limits.memoryMb);
    const command = await this.#command;
    this.#refuseIfClosed();
    this.#starts++;
    const process = new PluginProcess(this.#options, command, this.#limits.answerBytes);
    this.#loading = process;
    try {
      await this.#load(process);
    } catch (error) {
      process.kill('could not be loaded');
      this.#lastExit = await process.ended;
      this.#backoff.failed(0);
      throw error;
    } finally {
      this.#loading = undefined;
    }
    this.#up(process);
    return process;
  }

  /** Waits as long as it must after it has ended by itself; not longer than until it is closed. */
  async #pause(): Promise<void> {
    const { waitMs } = this.#backoff;
    const { signal } = this.#closing;
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false, signal }).catch(() => undefined);
    this.#refuseIfClosed();
  }

  #up(process: PluginProcess): void {
    this.#running = process;
    this.#idle = setTimeout(() => this.#rest(process), this.#limits.idleMs).unref();
    void process.ended.then((how) => {
      this.#lastExit = how;
      if (this.#running !== process) return;
      this.#down();
      this.#backoff.failed(performance.now() - process.startedAt);
    });
  }

  #down(): void {
    this.#running = undefined;
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  #rest(process: PluginProcess): void {
    if (!process.idle) {
      this.#idle?.refresh();
      return;
    }
    this.#down();
    this.#stopping = process.stop(stopMs);
  }

  async #load(process: PluginProcess): Promise<void> {
    const { name, module, pace, config, grants, export: exported, version } = this.#options;
    const { startMs, answerBytes } = this.#limits;
    const exec = grants.some((grant) => grant.startsWith('exec:'));
    const which = { ...(pace === undefined ? {} : { pace }), export: exported, version };
    const params: LoadParams = { name, module, config, answerBytes, exec, ...which };
    const failed = (what: string) =>
      new PatchbayError('PLUGIN_LOAD', `plugin "${name}" cannot be loaded from ${module}: ${what}`, {
        plugin: name,
        file: module,
      });
    // Referenced: a module that waits for something that never comes would let the host end as if all were well.
    const timer = setTimeout(() => process.kill(`it did not finish within ${startMs / 1000} s`), startMs);
    try {
      const { value } = await process.ask('load', params);
      this.#learn(value as Description, failed);
      for (const called of this.#past.values()) await process.ask('call', called).catch(() => undefined);
      if (!process.live) throw failed(await process.ended);
    } catch (error) {
      if (process.live) throw error;
      throw failed(await process.ended);
    } finally {
      clearTimeout(timer);
    }
  }

  #learn(description: Description, failed: (what: string) => PatchbayError): void {
    if (this.#description !== undefined && JSON.stringify(this.#description) !== JSON.stringify(description)) {
      throw failed('it is not what it was when it was described');
    }
    this.#description = description;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#loading?.kill('was taken out while it was starting');
    const process = this.#running ?? (await this.#starting?.catch(() => undefined));
    this.#down();
    const failures = (await process?.stop(stopMs)) ?? [];
    await this.#stopping;
    if (failures.length > 0) throw new Error(failures.join('; '));
  }

  #refuseIfClosed(): void {
    if (this.#closed === undefined) return;
    const { name } = this.#options;
    throw new PatchbayError('HANDLER_FAILED', `plugin "${name}" has been taken out`, { plugin: name });
  }
}
