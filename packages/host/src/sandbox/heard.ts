import { StringDecoder } from 'node:string_decoder';
import type { Output } from './job.ts';
import type { Piece } from './wire.ts';

/** Makes text of the pieces in which a job is told of while it runs. */
export class Heard {
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };

  /** The text of a piece; the beginning of a character waits for the rest of it. */
  textOf({ stream, head, leftOut = 0, tail = '' }: Piece): string {
    const decoder = this.#decoders[stream];
    const first = decoder.write(Buffer.from(head, 'base64'));
    const gap = leftOut === 0 ? '' : `${decoder.end()}\n[${leftOut} bytes left out]\n`;
    return first + gap + decoder.write(Buffer.from(tail, 'base64'));
  }

  /** What is left of characters that were never completed. */
  rest(): Output[] {
    return (['stdout', 'stderr'] as const)
      .map((stream) => ({ stream, text: this.#decoders[stream].end() }))
      .filter(({ text }) => text !== '');
  }
}
