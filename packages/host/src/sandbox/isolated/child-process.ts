import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { Command } from './command.ts';
import { describeExit } from './ending.ts';
import { Functions, signalAmong } from './functions.ts';
import type { IsolatedOptions, LogLine } from './options.ts';
import { type Answer, Peer } from './peer.ts';
import { PluginLog } from './plugin-log.ts';

/** What the runtime in the child never logs in a second; more is not from it. */
const logFlood = 1024 * 1024;
/** How long a process that was told of a deadline has to answer. */
const graceMs = 250;
/** How long one that has closed its pipe, or whose namespace is ending, is waited for. */
const lingerMs = 500;
/** A call into a capability has no deadline of the kernel's: unless it is given a signal, it may take so long. */
const invokeMs = 30_000;
/** How long one that was given a signal may take to come to an end after that was aborted. */
const stopMs = 5000;
/** What a process may leave unread: one that does not read must not fill the host. */
const backlogBytes = 64 * 1024 * 1024;
/** How many calls of the host's functions a process may have open. */
const openInvokes = 1000;
const levels: readonly unknown[] = ['debug', 'info', 'warn', 'error'];

/** One process of a plugin, from its start to its end. What goes wrong in it ends it, and nothing else. */
export class PluginProcess {
  readonly pid: number | undefined;
  readonly startedAt = performance.now();
  /** Kept when it, and all that it started, is gone; with how it ended. */
  readonly ended: Promise<string>;
  readonly #plugin: string;
  readonly #child: ChildProcess;
  readonly #peer: Peer;
  readonly #functions: Functions;
  /** In which context each open call into a capability was made: what it calls in turn is part of that. */
  readonly #contexts = new Map<unknown, ReturnType<typeof AsyncLocalStorage.snapshot>>();
  readonly #log: PluginLog;
  readonly #namespace: boolean;
  /** Kept when the last request that was cancelled has been answered; undefined while there is none. */
  #doubt: { readonly requests: Set<number>; readonly over: PromiseWithResolvers<void> } | undefined;
  #fault: string | undefined;
  #over = false;
  #reaped = false;
  #keeps = false;
  #serving = 0;
  #logged = { from: 0, length: 0 };

  constructor(options: IsolatedOptions, command: Command, answerBytes: number) {
    this.#plugin = options.name;
    this.#namespace = command.namespace;
    this.#log = new PluginLog(options.log);
    const [file, ...args] = command.argv;
    this.#child = spawn(file, args, {
      cwd: options.project,
      env: command.env,
      // A group of its own: nothing it does to its group reaches the host.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.pid = this.#child.pid;
    // A host without a file descriptor left gets a process without pipes; that it could not be started is told below.
    const socket = (this.#child.stdio?.[3] ?? new Socket()) as Socket;
    // Room for the envelope, and for what escapes add.
    this.#peer = new Peer(socket, answerBytes + 1024, {
      serve: (method, params, id, length) => this.#serve(method, params, id, length),
      fault: (what) => this.kill(what),
      ended: () => this.#hungUp(),
    });
    this.#functions = new Functions((ref, args) => this.#invoke(ref, args));
    this.#listen(socket);
    if (this.pid !== undefined) options.adopt?.(this.pid);
    this.ended = this.#end().finally(() => {
      if (this.pid !== undefined) options.release?.(this.pid);
    });
  }

  /** Whether it has not ended. */
  get live(): boolean {
    return !this.#over;
  }

  /** Whether it takes calls: not while it has yet to show that it heeds a deadline, and will be ended if it does not. */
  get takesCalls(): boolean {
    return !this.#over && this.#doubt === undefined;
  }

  /** Waits until it takes calls, or has ended. */
  async settled(): Promise<void> {
    if (this.#over) await this.ended;
    else await Promise.race([this.#doubt?.over.promise, this.ended]);
  }

  /** Whether nobody would miss it: nothing is asked of it, nothing deferred, no function of it given out. */
  get idle(): boolean {
    return this.#peer.waiting === 0 && !this.#keeps && !this.#functions.isBorrowing;
  }

  /** The number that the next request will have. */
  get nextId(): number {
    return this.#peer.nextId;
  }

  /** Whether it leaves so much unread that it should be sent nothing more. */
  get isClogged(): boolean {
    return this.#peer.backlog > backlogBytes;
  }

  /** Asks it something. Rejects with its error, or with how it ended; throws if `params` cannot be sent. */
  ask(method: string, params: object): Promise<Answer> {
    if (this.#over) return Promise.reject(this.#gone());
    return this.#peer.ask(method, params);
  }

  /** A value with functions, to be sent. Throws on one that leads back to itself. */
  encode(value: unknown): unknown {
    return this.#functions.encode(value);
  }

  /** A value that came, with functions that work as long as this process lives. */
  decode(value: unknown): unknown {
    return this.#functions.decode(value);
  }

  /** Tells it that a request is not waited for any more; if it does not even answer that, it is ended. */
  cancel(id: number, asked: Promise<unknown>): void {
    if (this.#over || !this.#peer.isWaiting(id)) return;
    this.#peer.notify('cancel', { id });
    const timer = setTimeout(() => this.kill('did not answer in time, nor heeded its signal'), graceMs);
    this.#doubt ??= { requests: new Set(), over: Promise.withResolvers() };
    const { requests, over } = this.#doubt;
    requests.add(id);
    const answered = () => {
      clearTimeout(timer);
      requests.delete(id);
      if (requests.size > 0) return;
      this.#doubt = undefined;
      over.resolve();
    };
    asked.then(answered, answered);
  }

  /** Asks it to go, then makes it. Gives what failed in it on the way out. */
  async stop(withinMs: number): Promise<string[]> {
    if (this.#over) {
      await this.ended;
      return [];
    }
    const timer = setTimeout(() => this.kill('did not stop in time'), withinMs);
    let failures: string[] = [];
    try {
      const { value } = await this.#peer.ask('stop', {});
      if (Array.isArray(value)) failures = value.map(String);
    } catch {
      // It ended before it could answer.
    }
    this.#peer.end();
    await this.ended;
    clearTimeout(timer);
    return failures;
  }

  /** Ends it and all that it started, now. */
  kill(why: string): void {
    this.#fault ??= why;
    this.#giveUp();
    // Somebody may wait for its end, and that is near.
    this.#child.ref();
    this.#destroy();
  }

  #listen(socket: Socket): void {
    const { stdout, stderr } = this.#child;
    stdout?.on('data', this.#log.printed('info'));
    stderr?.on('data', this.#log.printed('warn'));
    // None of it keeps a host from ending that has nothing else to do.
    for (const part of [this.#child, socket, stdout as unknown as Socket, stderr as unknown as Socket]) part?.unref();
  }

  async #end(): Promise<string> {
    // Listened for from the beginning: it may come together with the exit.
    const closed = Promise.withResolvers<void>();
    this.#child.once('close', closed.resolve);
    const exit = await new Promise<{ code: number | null; signal: string | null } | Error>((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
      this.#child.once('error', resolve);
    });
    // Others of its group may be left. After that its number may be somebody else's.
    this.#destroy();
    this.#reaped = true;
    // All ends of its pipes are closed: nothing it started is left that could write.
    const timer = setTimeout(closed.resolve, exit instanceof Error ? 0 : lingerMs);
    await closed.promise;
    clearTimeout(timer);
    for (const pipe of this.#child.stdio ?? []) pipe?.destroy();
    this.#fault ??=
      exit instanceof Error
        ? `could not be started: ${messageOf(exit)}`
        : describeExit({ ...exit, namespace: this.#namespace, tail: this.#log.tail });
    this.#giveUp();
    this.#log.end();
    return this.#fault;
  }

  #destroy(): void {
    if (this.pid === undefined || this.#reaped) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }

  /** An ending process closes its pipe a moment before it is known to have ended, and how it ended says more. */
  #hungUp(): void {
    if (this.#over) return;
    setTimeout(() => {
      if (!this.#over) this.kill('closed the pipe to the host');
    }, lingerMs).unref();
  }

  #giveUp(): void {
    this.#over = true;
    this.#peer.abandon(this.#gone());
  }

  #gone(): PatchbayError {
    const message = `the process of plugin "${this.#plugin}" ${this.#fault ?? 'has ended'}`;
    return new PatchbayError('HANDLER_FAILED', message, { plugin: this.#plugin });
  }

  #serve(method: string, params: Record<string, unknown>, id: number | undefined, length: number): void {
    if (method === 'log') this.#heard(params, length);
    else if (method === 'keep') this.#keeps = true;
    else if (method === 'invoke' && id !== undefined) void this.#invoked(id, params);
    else throw new Error(`asked for "${method}", which there is not`);
  }

  async #invoked(id: number, { ref, args, within }: Record<string, unknown>): Promise<void> {
    if (this.isClogged || ++this.#serving > openInvokes) {
      this.kill('asked more of the host than it may');
      return;
    }
    const call = () => this.#functions.call(ref, args);
    try {
      this.#peer.reply(id, { value: await (this.#contexts.get(within)?.(call) ?? call()) });
    } catch (error) {
      this.#peer.refuse(id, error);
    }
    this.#serving--;
  }

  #heard({ level, message, fields }: Record<string, unknown>, length: number): void {
    const now = performance.now();
    if (now - this.#logged.from > 1000) this.#logged = { from: now, length: 0 };
    this.#logged.length += length;
    if (this.#logged.length > logFlood) throw new Error('flooded the pipe to the host');
    if (!levels.includes(level) || typeof message !== 'string') throw new Error('logged something that is no line');
    const isFields = typeof fields === 'object' && fields !== null;
    this.#log.line({
      level: level as LogLine['level'],
      message,
      ...(isFields ? { fields: fields as Record<string, unknown> } : {}),
    });
  }

  async #invoke(ref: number, args: unknown[]): Promise<unknown> {
    const id = this.nextId;
    const asked = this.ask('invoke', { ref, args: args.map((argument) => this.encode(argument)) });
    const signal = signalAmong(args);
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      this.#peer.notify('cancel', { id });
      timer = setTimeout(() => this.cancel(id, asked), stopMs);
    };
    if (signal === undefined) timer = setTimeout(() => this.cancel(id, asked), invokeMs);
    else if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    this.#contexts.set(id, AsyncLocalStorage.snapshot());
    try {
      return this.decode((await asked).value);
    } finally {
      this.#contexts.delete(id);
      signal?.removeEventListener('abort', stop);
      clearTimeout(timer);
    }
  }
}
