/** Tells the line of a place in a text. */
export class Lines {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** The line of an offset, from 1. */
  at(offset: number): number {
    return lastUpTo(this.#starts, offset) + 1;
  }
}

/** The place in a sorted list of the last number that is not over `limit`; -1 if there is none. */
export function lastUpTo(sorted: readonly number[], limit: number): number {
  let low = -1;
  let high = sorted.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle;
    else high = middle;
  }
  return low;
}
