import { isUtf8 } from 'node:buffer';
import type { Captured } from '../job.ts';

const boundBytes = 64 * 1024;
/** Each end's share; what is left of the bound is for the line between them. */
const half = boundBytes / 2 - 32;
/** A byte that is no UTF-8 becomes a character of three. */
const third = Math.floor(half / 3);
const nothing = Buffer.alloc(0);

/** Keeps head and tail of a stream in bounded memory, however much comes. */
export class Capture {
  /** Grows with what comes, up to `half`: most print little, and a process that holds less memory starts others faster. */
  #head = nothing;
  #headBytes = 0;
  /** A ring: the oldest byte stands at `#at` once it is full. */
  #tail: Buffer | undefined;
  #tailBytes = 0;
  #at = 0;
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = half - this.#headBytes;
    if (room > 0) this.#addToHead(chunk.subarray(0, room));
    if (chunk.length > room) this.#addToTail(chunk.subarray(room).subarray(-half));
  }

  #addToHead(chunk: Buffer): void {
    const bytes = this.#headBytes + chunk.length;
    if (bytes > this.#head.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(half, Math.max(bytes, 2 * this.#head.length)));
      this.#head.copy(larger, 0, 0, this.#headBytes);
      this.#head = larger;
    }
    chunk.copy(this.#head, this.#headBytes);
    this.#headBytes = bytes;
  }

  #addToTail(chunk: Buffer): void {
    this.#tail ??= Buffer.alloc(half);
    const fits = chunk.copy(this.#tail, this.#at);
    chunk.copy(this.#tail, 0, fits);
    this.#at = (this.#at + chunk.length) % half;
    this.#tailBytes = Math.min(half, this.#tailBytes + chunk.length);
  }

  /** What there is by now. */
  captured(): Captured {
    return { text: this.#text(), bytes: this.#bytes };
  }

  #text(): string {
    const kept = this.#kept();
    const complete = kept.length === this.#bytes;
    if (complete && (isUtf8(kept) || kept.length <= 2 * third)) return kept.toString();
    const whole = complete ? undefined : ends(kept, half);
    const [first, last] = whole?.every(isUtf8) ? whole : ends(kept, third);
    const leftOut = this.#bytes - first.length - last.length;
    return `${first}\n[${leftOut} bytes left out]\n${last}`;
  }

  #kept(): Buffer {
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#tail?.subarray(0, this.#tailBytes) ?? nothing;
    const seam = this.#tailBytes < half ? 0 : this.#at;
    return Buffer.concat([head, tail.subarray(seam), tail.subarray(0, seam)]);
  }
}

/** Head and tail, without the rest of a character that the cut went through. */
function ends(all: Buffer, share: number): [Buffer, Buffer] {
  const head = all.subarray(0, share);
  const tail = all.subarray(-share);
  const cuts = [0, 1, 2, 3];
  return [
    cuts.map((cut) => head.subarray(0, head.length - cut)).find(isUtf8) ?? head,
    cuts.map((cut) => tail.subarray(cut)).find(isUtf8) ?? tail,
  ];
}
