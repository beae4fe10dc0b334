import type { EventFields } from '../ledger/index.ts';

type Fields = EventFields<'agent:trace'>;
/** Of whom a trace is. */
export type Traced = Pick<Fields, 'chat_jid' | 'run_id' | 'turn_id' | 'role'>;

interface Gathered {
  readonly of: Traced;
  readonly kind: string;
  text: string;
}

/** For so long, or until there is so much, pieces are gathered before they are written. */
const gatherMs = 200;
const gatherCharacters = 4096;
/** A run that shows more than this of itself is not worth the disk. */
const mostCharacters = 1024 * 1024;

/** Writes down what agents show of themselves while they work on a chat, many pieces at a time. */
export class Traces {
  readonly #write: (fields: Fields) => void;
  /** By run: how much it may still show. */
  readonly #left = new Map<string, number>();
  readonly #gathered = new Map<string, Gathered>();
  #timer: NodeJS.Timeout | undefined;

  /** `write` must write in the order in which it is called. */
  constructor(write: (fields: Fields) => void) {
    this.#write = write;
  }

  /** From now on, what a run shows is kept. */
  begin(run_id: string): void {
    this.#left.set(run_id, mostCharacters);
  }

  /** Adds a piece. What comes before a run has begun or after it has ended is lost. */
  add(of: Traced & { readonly run_id: string }, kind: string, text: string): void {
    const left = this.#left.get(of.run_id) ?? 0;
    const piece = String(text).slice(0, left);
    if (piece === '') return;
    this.#left.set(of.run_id, left - piece.length);
    let gathered = this.#gathered.get(of.run_id);
    if (gathered !== undefined && gathered.kind !== kind) {
      this.#flush(of.run_id);
      gathered = undefined;
    }
    if (gathered === undefined) {
      gathered = { of, kind, text: '' };
      this.#gathered.set(of.run_id, gathered);
    }
    gathered.text += piece;
    if (gathered.text.length >= gatherCharacters) this.#flush(of.run_id);
    else this.#timer ??= setTimeout(() => this.#flushAll(), gatherMs);
  }

  /** Writes what a run has shown; nothing of it comes after that. */
  end(run_id: string): void {
    this.#flush(run_id);
    this.#left.delete(run_id);
  }

  /** Writes all. */
  close(): void {
    this.#flushAll();
    this.#left.clear();
  }

  #flushAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const run_id of [...this.#gathered.keys()]) this.#flush(run_id);
  }

  #flush(run_id: string): void {
    const gathered = this.#gathered.get(run_id);
    if (gathered === undefined) return;
    this.#gathered.delete(run_id);
    this.#write({ ...gathered.of, trace_type: gathered.kind, data: { text: gathered.text } });
  }
}
