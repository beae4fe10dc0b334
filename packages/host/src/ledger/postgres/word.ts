import type { EventName } from 'patchbay-sdk';
import type { Elsewhere } from '../store.ts';
import type { Act } from './transaction.ts';

/** The server takes less than 8000 bytes. */
const mostBytes = 7900;

/** What is said to others of what was written: all of it since the last word. */
export class Word {
  readonly #types = new Set<EventName>();
  readonly #runs = new Set<string>();
  #deliveries = false;
  #requests = false;
  #isEmpty = true;

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  add(acts: readonly Act[]): void {
    this.#isEmpty = false;
    for (const act of acts) {
      if ('append' in act) {
        const { draft, owes } = act.append;
        this.#types.add(draft.type);
        if (draft.run_id !== null) this.#runs.add(draft.run_id);
        this.#deliveries ||= owes.length > 0;
      } else {
        this.#deliveries = true;
        this.#requests ||= act.alone;
      }
    }
  }

  /** As it is sent by one of this name. Where it would be too long, it says only that something was written. */
  spoken(by: string): string {
    const said: Elsewhere = {
      types: [...this.#types],
      runs: [...this.#runs],
      deliveries: this.#deliveries,
      requests: this.#requests,
    };
    const text = JSON.stringify({ by, said });
    return Buffer.byteLength(text) < mostBytes ? text : JSON.stringify({ by });
  }
}

/** Who says what. What is not in our words says nothing: others can speak here too. */
export function heardIn(text: string): { readonly by?: string; readonly said?: Elsewhere } {
  try {
    const { by, said } = JSON.parse(text);
    return Array.isArray(said?.types) && Array.isArray(said.runs) ? { by, said } : { by };
  } catch {
    return {};
  }
}
