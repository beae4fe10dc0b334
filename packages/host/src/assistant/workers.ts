import type { AssistantWorkspace } from '../config/assistant-settings.ts';
import { isSettled, type LedgerStore } from '../ledger/index.ts';
import type { Answering, Due } from './answering.ts';
import type { Directory } from './directory.ts';
import { chatQueue, folderOf } from './queues.ts';

/** What workers are made with. */
export interface WorkersParts {
  readonly ledger: LedgerStore;
  readonly directory: Directory;
  readonly answering: Pick<Answering, 'answer'>;
  /** How many messages are worked on at once. */
  readonly atOnce: number;
  /** Hears what went wrong with a message, which is tried again. */
  readonly troubled: (folder: string, error: unknown) => void;
  /** Hears that a message was answered. */
  readonly answered: (folder: string, due: Due) => void;
  /** How long to leave a workspace alone that failed so often. @default twice as long every time, from 1 s to 5 min */
  readonly backoffMs?: (tries: number) => number;
}

/** A workspace whose first message cannot be worked on now. */
interface Stopped {
  /** The run that waits for somebody; null if it went wrong and is tried again. */
  readonly waits: string | null;
  readonly timer: NodeJS.Timeout | null;
}

/**
 * Has messages answered: in each workspace one after the other, in the order in which they came; of all workspaces so many at
 * once, each in turn. What is to be done is in the ledger: a workspace with nothing to do costs nothing.
 */
export class Workers {
  readonly #parts: WorkersParts;
  readonly #closing = new AbortController();
  /** Workspaces that may have something to do, the one that waits longest first. */
  readonly #ready = new Set<string>();
  readonly #busy = new Map<string, Promise<void>>();
  readonly #stopped = new Map<string, Stopped>();
  /** By workspace, which try of its first message the next one is; nothing for the first. */
  readonly #tries = new Map<string, number>();
  #unhear: readonly (() => void)[] = [];

  constructor(parts: WorkersParts) {
    this.#parts = parts;
  }

  /** Goes on with what was left. */
  async start(): Promise<void> {
    const { ledger } = this.#parts;
    this.#unhear = [
      ledger.on('replayed', ({ plugin }) => this.#wakeQueue(plugin)),
      ledger.on('elsewhere', (what) => {
        if (what === undefined || what.deliveries || what.types.some(isEnd)) void this.#look().catch(() => {});
      }),
      ledger.on('appended', ({ event: { type, run_id } }) => {
        if (run_id !== null && this.#stopped.size > 0 && isEnd(type)) this.#ended(run_id);
      }),
    ];
    await this.#look();
  }

  /** A workspace may have something to do. */
  wake(folder: string): void {
    if (this.#closing.signal.aborted || this.#stopped.has(folder)) return;
    this.#ready.add(folder);
    this.#next();
  }

  /** Whether a message of a workspace is being worked on. */
  isBusy(folder: string): boolean {
    return this.#busy.has(folder);
  }

  /** Stops the work under way, in good order; the next host goes on from there. */
  async close(): Promise<void> {
    for (const off of this.#unhear) off();
    this.#closing.abort();
    for (const { timer } of this.#stopped.values()) clearTimeout(timer ?? undefined);
    await Promise.allSettled(this.#busy.values());
  }

  async #look(): Promise<void> {
    for (const { plugin } of await this.#parts.ledger.owedPlugins()) this.#wakeQueue(plugin);
    for (const { waits } of this.#stopped.values()) if (waits !== null) await this.#lookAt(waits);
  }

  #wakeQueue(queue: string): void {
    const folder = folderOf(queue);
    if (folder !== undefined) this.wake(folder);
  }

  #next(): void {
    for (const folder of this.#ready) {
      if (this.#busy.size >= this.#parts.atOnce) return;
      // It is looked at again when it is done.
      if (this.#busy.has(folder)) continue;
      this.#ready.delete(folder);
      const done = this.#work(folder).finally(() => {
        this.#busy.delete(folder);
        this.#next();
      });
      this.#busy.set(folder, done);
    }
  }

  async #work(folder: string): Promise<void> {
    const workspace = this.#parts.directory.ofFolder(folder);
    // One that is gone may be back another time, and finds them then.
    if (workspace === undefined || this.#closing.signal.aborted) return;
    try {
      const [due, next] = await this.#parts.ledger.owed(chatQueue(folder), { limit: 2 });
      if (due === undefined) return;
      await this.#answer(due, workspace);
      if (next !== undefined) this.wake(folder);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failed(folder, error);
    }
  }

  async #answer(due: Due, workspace: AssistantWorkspace): Promise<void> {
    const { folder } = workspace;
    const tries = this.#tries.get(folder) ?? 1;
    const worked = await this.#parts.answering.answer(due, workspace, tries, this.#closing.signal);
    this.#tries.delete(folder);
    if (worked.kind === 'answered') return this.#parts.answered(folder, due);
    this.#stopped.set(folder, { waits: worked.run_id, timer: null });
    await this.#lookAt(worked.run_id);
  }

  #failed(folder: string, error: unknown): void {
    this.#parts.troubled(folder, error);
    const tries = this.#tries.get(folder) ?? 1;
    this.#tries.set(folder, tries + 1);
    const timer = setTimeout(() => this.#goOn(folder), this.#backoffMs(tries));
    this.#stopped.set(folder, { waits: null, timer });
  }

  #goOn(folder: string): void {
    this.#stopped.delete(folder);
    this.wake(folder);
  }

  /** The run that a workspace waits for has ended: then there is an answer. */
  #ended(run_id: string): void {
    for (const [folder, { waits }] of this.#stopped) if (waits === run_id) this.#goOn(folder);
  }

  async #lookAt(run_id: string): Promise<void> {
    const row = await this.#parts.ledger.run(run_id);
    if (row === undefined || isSettled(row.status)) this.#ended(run_id);
  }

  #backoffMs(tries: number): number {
    return this.#parts.backoffMs?.(tries) ?? Math.min(1000 * 2 ** (tries - 1), 300_000);
  }
}

function isEnd(type: string): boolean {
  return /^run:(?:completed|held|failed|aborted)$/.test(type);
}
