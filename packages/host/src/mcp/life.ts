import { messageOf } from 'patchbay-sdk';
import { failed } from './failed.ts';
import type { Ports } from './ports.ts';
import { type ProgramParts, ServerProgram, type TakenPorts, valuesOf, variablesOf } from './program.ts';
import { reach, reachMs, type Way, wayTo } from './reach.ts';
import type { ServerLog } from './server-log.ts';
import type { Session } from './session.ts';
import { hasPort, type ServerSpec } from './spec.ts';

/** What servers are brought to life with. */
export interface LifeParts extends ProgramParts {
  readonly ports: Ports;
  /** How long a server may take until it answers. */
  readonly probeMs: number;
}

/** A server from when it has answered for the first time until it has ended. */
export class Life {
  readonly since = Date.now();
  readonly port: number | null;
  /** Resolves with how its program ended, in whatever way. Never for one that is only reached. */
  readonly ended: Promise<string>;
  readonly #program: ServerProgram | undefined;
  readonly #way: Way;
  readonly #signal: AbortSignal;
  #session: Session;
  #renewal: Promise<void> | undefined;
  #isOver = false;

  private constructor(
    port: number | null,
    program: ServerProgram | undefined,
    session: Session,
    way: Way,
    signal: AbortSignal,
  ) {
    this.port = port;
    this.#program = program;
    this.#session = session;
    this.#way = way;
    this.#signal = signal;
    this.ended = program?.ended ?? new Promise(() => undefined);
    void this.ended.then(() => {
      this.#isOver = true;
      return this.#session.close();
    });
  }

  /**
   * Starts a server, or only reaches it, and waits until it answers, or the signal is aborted. Rejects with MCP_FAILED, and what it said
   * last, if it does not; nothing is left of it then.
   */
  static async begin(spec: ServerSpec, parts: LifeParts, log: ServerLog, signal: AbortSignal): Promise<Life> {
    const taken = await takePorts(spec, parts.ports);
    const release = () => parts.ports.release([taken.port, ...taken.extra].filter((port) => port !== null));
    const variables = variablesOf(spec, valuesOf(spec, taken, 'inside'), parts.env);
    log.begin([...Object.values(variables), ...Object.values(spec.headers)]);
    let program: ServerProgram | undefined;
    try {
      if (spec.type !== 'url') program = await started(spec, taken, parts, log);
      void program?.ended.then(release);
      const way = wayTo(spec, taken, variables, program, log);
      const session = await reach(way, program, parts.probeMs, signal);
      return new Life(taken.port, program, session, way, signal);
    } catch (error) {
      await program?.stop();
      if (program === undefined) release();
      log.end();
      const said = log.tail();
      const why = `MCP server "${spec.name}" ${log.hidden(messageOf(error))}`;
      throw failed(said === '' ? why : `${why}; it said: ${said}`, error);
    }
  }

  get session(): Session {
    return this.#session;
  }

  /** Its process; null if there is none, or it cannot be found out. */
  pid(): number | null {
    return this.#isOver ? null : (this.#program?.pid() ?? null);
  }

  /**
   * Opens another session in the place of one that is dead; if several ask for that, one. False where that cannot be: then there
   * must be another life. Never rejects.
   */
  async renew(dead: Session): Promise<boolean> {
    if (this.#isOver || !this.#way.isLasting) return false;
    if (this.#session !== dead) return true;
    this.#renewal ??= this.#reopen().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal.then(
      () => true,
      () => false,
    );
  }

  /** Takes leave, and ends its program. Never rejects. */
  async end(): Promise<void> {
    await this.#session.close();
    await this.#program?.stop();
    this.#isOver = true;
  }

  async #reopen(): Promise<void> {
    const session = await this.#way.open(reachMs, this.#signal);
    void this.#session.close();
    this.#session = session;
  }
}

async function started(...args: Parameters<typeof ServerProgram.start>): Promise<ServerProgram> {
  try {
    return await ServerProgram.start(...args);
  } catch (cause) {
    throw new Error(`cannot be started: ${messageOf(cause)}`, { cause });
  }
}

async function takePorts(spec: ServerSpec, ports: Ports): Promise<TakenPorts> {
  if (!hasPort(spec)) return { port: null, extra: [] };
  const port = await ports.take(spec.port);
  const extra: number[] = [];
  for (const asked of spec.extraPorts) extra.push(await ports.take(asked));
  return { port, extra };
}
