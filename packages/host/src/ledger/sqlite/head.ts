import type { DatabaseSync } from 'node:sqlite';

/** The end of the chain, known during a transaction only: between two of them another process may append. */
export class Head {
  readonly #read;
  readonly #write;
  #seq = 0;
  #hash = '';
  #moved = false;

  constructor(db: DatabaseSync) {
    this.#read = db.prepare('SELECT head_seq, head_hash FROM chain');
    this.#write = db.prepare('UPDATE chain SET head_seq = ?, head_hash = ?');
  }

  get seq(): number {
    return this.#seq;
  }

  get hash(): string {
    return this.#hash;
  }

  /** To be called when a transaction has begun. */
  load(): void {
    const { head_seq, head_hash } = this.#read.get() as { head_seq: number; head_hash: string };
    this.#seq = head_seq;
    this.#hash = head_hash;
    this.#moved = false;
  }

  moveTo(seq: number, hashed: string): void {
    this.#seq = seq;
    this.#hash = hashed;
    this.#moved = true;
  }

  /** To be called before a transaction ends. */
  save(): void {
    if (this.#moved) this.#write.run(this.#seq, this.#hash);
  }
}
