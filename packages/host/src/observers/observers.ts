import { type Hooks, messageOf, type Observer } from 'patchbay-sdk';
import { type Kernel, newRecord } from '../kernel/index.ts';
import type { LedgerStore } from '../ledger/index.ts';
import { Observed } from './observed.ts';

/** What observers are told with. */
export interface ObserversParts {
  readonly kernel: Kernel<Hooks>;
  readonly ledger: LedgerStore;
  /** The folder of the project. */
  readonly project: string;
  /** Hears what is wrong with any of them, which stops nothing. */
  readonly warn: (message: string) => void;
  /** How long a listener may take over one event. @default 30000 */
  readonly listenerMs?: number;
}

/** How long they have at the end to take what they were not told yet. */
const closeMs = 10_000;

/** The observers of all plugins: each is told by itself of every event from now on, in order, once. */
export class Observers {
  readonly #parts: ObserversParts;
  readonly #observed: readonly Observed[];
  readonly #undo: () => void;

  private constructor(parts: ObserversParts, observed: readonly Observed[]) {
    this.#parts = parts;
    this.#observed = observed;
    this.#undo = observed.length === 0 ? () => {} : this.#hear();
  }

  /** Has all of them subscribe. One that fails or hangs is left out, and told of. */
  static async start(parts: ObserversParts): Promise<Observers> {
    const { kernel, ledger, project, warn, listenerMs } = parts;
    const record = newRecord();
    await kernel.call('observer', { project }, { record });
    for (const { message } of record.failures) warn(message);
    const after = await endOf(ledger);
    const limits = listenerMs === undefined ? {} : { listenerMs };
    const started = await Promise.all(
      record.answers.map(async ({ plugin, answer }) => {
        const observer = answer as Observer;
        const observed = new Observed({ plugin, observer, ledger, after, warn, ...limits });
        try {
          await observed.start();
          return [observed];
        } catch (error) {
          warn(`observer "${observer.name}" of plugin "${plugin}" is left out: ${messageOf(error)}`);
          return [];
        }
      }),
    );
    return new Observers(parts, started.flat());
  }

  /** Not where there are none: each delivery would be read back for nobody. */
  #hear(): () => void {
    return this.#parts.ledger.on('settled', (delivery) => {
      for (const one of this.#observed) one.tell('delivery:settled', { ...delivery });
    });
  }

  /** Tells them what is still to be told, and closes them. Never rejects. */
  async close(): Promise<void> {
    this.#undo();
    if (this.#observed.length === 0) return;
    const end = await endOf(this.#parts.ledger).catch(() => 0);
    await Promise.all(this.#observed.map((one) => one.close(end, closeMs)));
  }
}

async function endOf(ledger: LedgerStore): Promise<number> {
  for await (const { seq } of ledger.events({ newestFirst: true, limit: 1 })) return seq;
  return 0;
}
