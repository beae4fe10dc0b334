import type { TurnCost } from 'patchbay-sdk';
import { plus } from './cost.ts';
import { exhausted } from './decide.ts';
import type { RunState } from './state.ts';

/** The longest that a timer can be set for; no turn takes that long. */
const longestMs = 2 ** 31 - 1;

/** Watches what the turns under way use of the budget of their run, and stops all of them when it is used up. */
export class Budget {
  readonly #stop = new AbortController();
  readonly #spent = new Map<string, TurnCost>();
  #reason: string | undefined;

  /** Aborted when the budget is used up. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What was used up, in words; undefined as long as there is something left. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** A turn is about to be worked on. Gives what is to be called when it has ended. */
  begin({ turn_id }: { readonly turn_id: string }, { started_at, template }: RunState, now: Date): () => void {
    const { runTimeoutMs } = template.limits;
    const leftMs = runTimeoutMs === null ? longestMs : Date.parse(started_at) + runTimeoutMs - now.getTime();
    const late = () => this.#end('the run has taken longer than it may');
    const timer = leftMs < longestMs ? setTimeout(late, Math.max(leftMs, 0)) : undefined;
    return () => {
      clearTimeout(timer);
      this.#spent.delete(turn_id);
    };
  }

  /** A turn under way has spent so much in all, which is not in the state of the run yet. */
  spent(turn_id: string, cost: TurnCost, state: RunState, now: Date): void {
    this.#spent.set(turn_id, cost);
    const all = [...this.#spent.values()].reduce(plus, state.cost);
    const reason = exhausted({ ...state, cost: all }, now);
    if (reason !== undefined) this.#end(reason);
  }

  #end(reason: string): void {
    this.#reason ??= reason;
    this.#stop.abort();
  }
}
