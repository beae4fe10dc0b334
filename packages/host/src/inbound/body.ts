import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { InboundLimits } from './limits.ts';
import { Refused } from './reply.ts';

/** Whether a request says that its body is longer than may be. */
export function isTooLong({ 'content-length': length }: IncomingHttpHeaders, { bodyBytes }: InboundLimits): boolean {
  return length !== undefined && Number(length) > bodyBytes;
}

/** Reads bodies, each as long as it may be, all together as long as they may be. */
export class Bodies {
  readonly #limits: InboundLimits;
  #buffered = 0;

  constructor(limits: InboundLimits) {
    this.#limits = limits;
  }

  /** The text of a body. Rejects with what is to be answered. */
  read(incoming: IncomingMessage): Promise<string> {
    if (isTooLong(incoming.headers, this.#limits)) return Promise.reject(new Refused('BODY_LONG'));
    const { bodyBytes, bufferedBytes } = this.#limits;
    const chunks: Buffer[] = [];
    let length = 0;
    return new Promise((resolve, reject) => {
      const ends = (end: () => void) => {
        incoming.off('data', taken);
        incoming.off('end', done);
        incoming.off('close', gone);
        this.#buffered -= length;
        end();
      };
      const taken = (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        this.#buffered += chunk.length;
        if (length > bodyBytes) ends(() => reject(new Refused('BODY_LONG')));
        else if (this.#buffered > bufferedBytes) ends(() => reject(new Refused('BUSY')));
      };
      const done = () =>
        ends(() => {
          const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
          if (isUtf8(bytes)) resolve(bytes.toString('utf8'));
          else reject(new Refused('BODY_INVALID'));
        });
      const gone = () => ends(() => reject(new Refused('MALFORMED')));
      // An error is followed by `close`; without this it would be uncaught.
      incoming
        .on('data', taken)
        .on('end', done)
        .on('close', gone)
        .on('error', () => {});
    });
  }
}

const json = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Throws MEDIA_TYPE unless a body is JSON that nothing has to be done to before it is read. */
export function checkMediaType(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || !json.test(headers['content-type'] ?? '')) throw new Refused('MEDIA_TYPE');
}

/** What a text says. `__proto__` in it is a key as any other. Throws what is to be answered. */
export function parseBody(text: string, depth: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refused('BODY_INVALID');
  }
  if (begins(text) > depth && isDeeper(value, depth)) throw new Refused('BODY_DEEP');
  return value;
}

/** How many arrays and objects begin in a text at the most: no fewer than are nested. */
function begins(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) count++;
  }
  return count;
}

/** Level by level: recursion is what it is to protect others from. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value];
  for (let left = depth; level.length > 0; left--) {
    if (left < 0) return true;
    const below: unknown[] = [];
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue;
      for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) below.push(child);
    }
    level = below;
  }
  return false;
}
