/** The time in which calls count. */
export const windowMs = 60 * 60_000;

/** Room that a call has taken. */
export interface Room {
  /** The call was refused after all: it does not count. */
  giveBack(): void;
}

/** Counts calls in any 60 minutes: all together, and of each tool. */
export class HourlyLimits {
  readonly #now: () => number;
  /** The times of calls in the window, in order; those of all tools under null. */
  readonly #calls = new Map<string | null, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A call that was let through at a time: by another process, before this one was started. */
  count(tool: string, at: number): void {
    for (const key of [null, tool]) {
      const times = this.#within(key);
      const isInOrder = (times.at(-1) ?? at) <= at;
      times.push(at);
      if (!isInOrder) times.sort((a, b) => a - b);
    }
  }

  /** Takes room for a call, or says why there is none: by the limit for all tools first. Null is no limit. */
  take(tool: string, most: { readonly all: number | null; readonly tool: number | null }): Room | string {
    const full = this.#full(null, most.all, 'tools') ?? this.#full(tool, most.tool, `tool "${tool}"`);
    if (full !== undefined) return full;
    const at = this.#now();
    for (const key of [null, tool]) this.#within(key).push(at);
    let isTaken = true;
    return {
      giveBack: () => {
        if (!isTaken) return;
        isTaken = false;
        for (const key of [null, tool]) this.#remove(key, at);
      },
    };
  }

  #full(key: string | null, most: number | null, what: string): string | undefined {
    const times = this.#within(key);
    if (most === null || times.length < most) return undefined;
    const next = times[times.length - most] ?? this.#now();
    const when = most === 0 ? '' : `; try again after ${new Date(next + windowMs).toISOString()}`;
    return `no more than ${most} calls of ${what} in 60 minutes${when}`;
  }

  #within(key: string | null): number[] {
    const from = this.#now() - windowMs;
    const times = this.#calls.get(key) ?? [];
    const old = times.findIndex((at) => at > from);
    if (old !== 0) times.splice(0, old === -1 ? times.length : old);
    this.#calls.set(key, times);
    return times;
  }

  #remove(key: string | null, at: number): void {
    const times = this.#calls.get(key) ?? [];
    const place = times.lastIndexOf(at);
    if (place !== -1) times.splice(place, 1);
  }
}
