import type { Claim, Peers } from './peers.ts';

/** Which plugins this host delivers to. One that it has taken it keeps: who delivers to it keeps the order of what it is owed. */
export class PluginDuties {
  readonly #peers: Peers;
  readonly #claims = new Map<string, Promise<Claim | undefined>>();

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  /** Whether this host delivers to a plugin; from now on it does if no other one does. */
  async has(plugin: string): Promise<boolean> {
    if (!this.#peers.areMany) return true;
    const known = await this.#claims.get(plugin);
    if (known !== undefined && !known.lost.aborted) return true;
    if (this.#peers.isElsewhere('plugin', plugin)) return false;
    const taking = this.#peers.take('plugin', plugin);
    this.#claims.set(plugin, taking);
    return (await taking) !== undefined;
  }

  /** Whether another host carries on the run that an event is of, and with it asks those who may refuse that event. */
  async isAsked(run_id: string | null): Promise<boolean> {
    return run_id !== null && this.#peers.isTaken('run', run_id);
  }

  /** Whether there may be other hosts. */
  get areShared(): boolean {
    return this.#peers.areMany;
  }

  /** Has `hear` called when there may be plugins again that nobody delivers to. Gives the undo. */
  onFreed(hear: () => void): () => void {
    return this.#peers.onFreed(hear);
  }
}
