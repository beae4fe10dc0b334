import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, type ServiceResponse, type ToolInfo } from 'patchbay-sdk';
import { answerOf } from './answer.ts';
import { failed, isFailed } from './failed.ts';
import { Failures, type Patience } from './failures.ts';
import type { Life, LifeParts } from './life.ts';
import { ServerLog } from './server-log.ts';
import type { Session } from './session.ts';
import type { ServerSpec } from './spec.ts';

/** What supervised servers need. */
export interface ServerParts extends LifeParts {
  readonly patience: Patience;
  /** Hears what is wrong with a server. */
  readonly warn: (message: string) => void;
}

/**
 * How a server stands. `waiting`: it has failed, and is started again soon; `failed`: it has failed too often, and is left alone for a
 * while; `invalid`: what is said of it makes no sense.
 */
export type ServerState = 'stopped' | 'starting' | 'running' | 'waiting' | 'failed' | 'invalid';

/** Where a server stands, for people and programs. */
export interface ServerStatus {
  readonly name: string;
  readonly type: ServerSpec['type'];
  readonly transport: ServerSpec['transport'];
  readonly plugin: string | null;
  readonly state: ServerState;
  readonly pid: number | null;
  readonly port: number | null;
  /** How often it was started again after it had ended by itself. */
  readonly restarts: number;
  readonly last_error: string | null;
  readonly running_since: string | null;
  /** Since when nobody asks it for anything; null if somebody does, or it does not run. */
  readonly idle_since: string | null;
}

/** Whoever asks for a server that is about to be started again waits for that, not longer. */
const mostWaitMs = 5_000;

/** A server that is started when it is asked for something, stopped when nobody does, and started again when it has crashed. */
export class SupervisedServer {
  readonly spec: ServerSpec;
  readonly #parts: ServerParts;
  readonly #log: ServerLog;
  readonly #failures: Failures;
  #life: Life | undefined;
  #starting: Promise<Life> | undefined;
  #stopping: Promise<void> | undefined;
  #halt = new AbortController();
  #restart: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #idleSince: number | null = null;
  #busy = 0;
  #restarts = 0;
  #lastError: string | null = null;
  #told: string | null = null;
  #isClosed = false;

  constructor(spec: ServerSpec, parts: ServerParts) {
    this.spec = spec;
    this.#parts = parts;
    this.#log = new ServerLog(parts.project, spec.name);
    this.#failures = new Failures(parts.patience);
  }

  /** Its tools. Starts it if need be; rejects with MCP_FAILED. */
  async tools(): Promise<readonly ToolInfo[]> {
    try {
      return await this.#asking(never, (session) => session.tools());
    } catch (error) {
      if (isFailed(error)) throw error;
      const what = `MCP server "${this.spec.name}" does not list its tools: ${this.#log.hidden(messageOf(error))}`;
      this.#complain(what);
      throw failed(what, error);
    }
  }

  /** Calls a tool. Starts it if need be. Never rejects. */
  async call(tool: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ServiceResponse> {
    try {
      return answerOf(await this.#asking(signal, (session) => session.call(tool, input, signal)));
    } catch (error) {
      if (signal.aborted) return { error: `the call of ${tool} was given up` };
      const what = this.#log.hidden(messageOf(error));
      return { error: isFailed(error) ? what : `MCP server "${this.spec.name}" did not answer ${tool}: ${what}` };
    }
  }

  /** Starts it at once, however often it has failed. Rejects with MCP_FAILED. */
  async start(): Promise<void> {
    this.#failures.forgive();
    clearTimeout(this.#restart);
    await this.#up(never);
    this.#rest();
  }

  /** Stops it until somebody asks it for something. */
  stop(why = 'it was stopped'): Promise<void> {
    clearTimeout(this.#idle);
    clearTimeout(this.#restart);
    this.#restart = undefined;
    this.#stopping ??= this.#end(why).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  status(): ServerStatus {
    const { name, type, transport, plugin } = this.spec;
    const life = this.#life;
    return {
      name,
      type,
      transport,
      plugin,
      state: this.#state(),
      pid: life?.pid() ?? null,
      port: life?.port ?? null,
      restarts: this.#restarts,
      last_error: this.#lastError,
      running_since: life === undefined ? null : new Date(life.since).toISOString(),
      idle_since: this.#idleSince === null ? null : new Date(this.#idleSince).toISOString(),
    };
  }

  /** Stops it for good. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop('the host ends');
    this.#log.close();
  }

  #state(): ServerState {
    if (this.#life !== undefined) return 'running';
    if (this.#starting !== undefined) return 'starting';
    if (this.#failures.waitMs(Date.now()) === 0) return this.#restart === undefined ? 'stopped' : 'waiting';
    return this.#failures.isTooMany ? 'failed' : 'waiting';
  }

  /** Asks it for something; if it has surely not heard that, once more. */
  async #asking<T>(signal: AbortSignal, ask: (session: Session) => Promise<T>): Promise<T> {
    this.#busy++;
    this.#idleSince = null;
    clearTimeout(this.#idle);
    try {
      const life = await this.#up(signal);
      const { session } = life;
      try {
        return await ask(session);
      } catch (error) {
        if (signal.aborted || !session.isUnheard(error)) throw error;
        this.#log.note(`the session is dead (${messageOf(error)}): another one is opened`);
        if (!(await life.renew(session))) await this.#lost(life);
      }
      return await ask((await this.#up(signal)).session);
    } finally {
      if (--this.#busy === 0) this.#rest();
    }
  }

  /** Nobody asks it for anything, from now on. */
  #rest(): void {
    if (this.#busy > 0 || this.#life === undefined) return;
    this.#idleSince = Date.now();
    clearTimeout(this.#idle);
    const { idleMs } = this.spec;
    if (idleMs === null) return;
    const why = `nobody asked it for anything for ${idleMs / 1000} s`;
    this.#idle = setTimeout(() => void this.stop(why), idleMs).unref();
  }

  /** It runs when this resolves. Rejects with MCP_FAILED. */
  async #up(signal: AbortSignal): Promise<Life> {
    signal.throwIfAborted();
    if (this.#stopping !== undefined) await this.#stopping;
    if (this.#isClosed) throw failed(`MCP server "${this.spec.name}" is not started: the host ends`);
    if (this.#life !== undefined) return this.#life;
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = undefined;
    });
    return givenUp(this.#starting, signal);
  }

  async #begin(): Promise<Life> {
    const { name } = this.spec;
    clearTimeout(this.#restart);
    this.#restart = undefined;
    const halt = new AbortController();
    this.#halt = halt;
    const waitMs = this.#failures.waitMs(Date.now());
    if (waitMs > mostWaitMs) {
      const again = `it is tried again in ${Math.ceil(waitMs / 1000)} s`;
      throw failed(`MCP server "${name}" has failed, and ${again}; ${this.#lastError ?? 'it does not say why'}`);
    }
    let began = Date.now();
    try {
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: halt.signal });
      began = Date.now();
      this.#log.note('is started');
      // With the library of the protocol, which most commands never need.
      const { Life } = await import('./life.ts');
      const life = await Life.begin(this.spec, this.#parts, this.#log, halt.signal);
      this.#life = life;
      this.#log.note('has answered');
      this.#told = null;
      void life.ended.then((how) => this.#crashed(life, how));
      if (halt.signal.aborted) throw failed(`MCP server "${name}" was stopped`);
      return life;
    } catch (error) {
      if (halt.signal.aborted) throw failed(`MCP server "${name}" was stopped before it was ready`);
      this.#failures.add({ waitedMs: Date.now() - began }, Date.now());
      this.#complain(messageOf(error));
      throw error;
    }
  }

  /** Its program has ended, and nobody has ended it. */
  #crashed(life: Life, how: string): void {
    if (this.#life !== life) return;
    this.#life = undefined;
    this.#idleSince = null;
    clearTimeout(this.#idle);
    this.#log.end();
    const said = this.#log.tail();
    const what = `MCP server "${this.spec.name}" ended by itself (${how})`;
    this.#failures.add({ ranMs: Date.now() - life.since }, Date.now());
    this.#complain(said === '' ? what : `${what}; it said: ${said}`);
    this.#restarts++;
    if (this.#failures.isTooMany) return;
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      this.#up(never).then(
        () => this.#rest(),
        () => undefined,
      );
    }, this.#failures.waitMs(Date.now())).unref();
  }

  /** It is there but cannot be reached: as good as crashed. */
  async #lost(life: Life): Promise<void> {
    if (this.#life !== life) return;
    if (this.spec.type === 'url') {
      this.#life = undefined;
      await life.end();
    } else {
      await life.end();
      this.#crashed(life, 'it could not be reached');
    }
  }

  #complain(message: string): void {
    this.#lastError = message;
    this.#log.note(`has failed: ${message}`);
    if (this.#told !== message) this.#parts.warn(message);
    this.#told = message;
  }

  async #end(why: string): Promise<void> {
    this.#halt.abort();
    await this.#starting?.catch(() => undefined);
    const life = this.#life;
    this.#life = undefined;
    this.#idleSince = null;
    if (life === undefined) return;
    this.#log.note(`is stopped: ${why}`);
    await life.end();
    this.#log.end();
  }
}

const never = new AbortController().signal;

/** What a promise comes to, unless it is given up before. */
async function givenUp<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
