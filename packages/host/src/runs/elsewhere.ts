import { type Lacking, unlabelled } from './labels.ts';
import { type Trouble, waitingOf } from './trouble.ts';

interface Wait {
  readonly trouble: Trouble;
  /** When it is worth telling. */
  readonly from: number;
  readonly isTold: boolean;
}

/** The runs whose next turns this host cannot play, told when nobody else has begun to for a while. */
export class Elsewhere {
  readonly #waits = new Map<string, Wait>();
  readonly #graceMs: number;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** What is told, for people. */
  get told(): readonly Trouble[] {
    return [...this.#waits.values()].flatMap(({ trouble, isTold }) => (isTold ? [trouble] : []));
  }

  /** When more of it is to be told; infinity if never. */
  get nextTime(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { from, isTold } of this.#waits.values()) if (!isTold) first = Math.min(first, from);
    return first;
  }

  add(run_id: string, lacking: readonly Lacking[]): void {
    const trouble = waitingOf(run_id, unlabelled(run_id, lacking));
    const known = this.#waits.get(run_id);
    if (known?.trouble.message === trouble.message) return;
    this.#waits.set(run_id, { trouble, from: Date.now() + this.#graceMs, isTold: false });
  }

  /** Somebody plays it, or it is over. Whether it was told. */
  delete(run_id: string): boolean {
    const wait = this.#waits.get(run_id);
    this.#waits.delete(run_id);
    return wait?.isTold === true;
  }

  /** What is to be told from now on. */
  ripen(): readonly Trouble[] {
    const now = Date.now();
    const ripe: Trouble[] = [];
    for (const [run_id, wait] of this.#waits) {
      if (wait.isTold || wait.from > now) continue;
      this.#waits.set(run_id, { ...wait, isTold: true });
      ripe.push(wait.trouble);
    }
    return ripe;
  }

  /** Forgets all runs but these. Whether one of them was told. */
  keepOnly(open: ReadonlySet<string>): boolean {
    const gone = [...this.#waits.keys()].filter((run_id) => !open.has(run_id));
    return gone.map((run_id) => this.delete(run_id)).includes(true);
  }
}
