import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { Parser, type ReadEntry } from 'tar';
import type { StagingFolder } from './folder.ts';
import type { Policy } from './policy.ts';

const block = 512;
const fileTypes = ['File', 'OldFile', 'ContiguousFile'];
const what: Readonly<Record<string, string>> = {
  SymbolicLink: 'it is a link',
  Link: 'it is a hard link',
  CharacterDevice: 'it is a device',
  BlockDevice: 'it is a device',
  FIFO: 'it is a named pipe',
};

/** Unpacks a `.tar.gz`, `.tgz` or `.tar` file. Its one top folder, if it has one, is taken off. */
export async function stageTar(path: string, folder: StagingFolder): Promise<void> {
  await unpackTar(createReadStream(path, { highWaterMark: 64 * 1024 }), folder);
}

/** Unpacks a tar archive, compressed by gzip or not, from a stream that ends or fails. */
export async function unpackTar(packed: Readable, folder: StagingFolder): Promise<void> {
  const { policy } = folder;
  const { limits } = policy;
  const unpacker = new Unpacker(policy);
  // What an archive needs besides the content of its files: a header or two and padding for each.
  let allowed = limits.bytes + limits.entries * 8 * block;
  try {
    for await (const chunk of inBlocks(unzipped(packed))) {
      allowed -= chunk.length;
      if (allowed < 0) throw policy.refusal(`it unpacks to more than ${limits.bytes} bytes`);
      for (const { path, content, run } of unpacker.read(chunk)) {
        if (content === undefined) folder.folder(path);
        else await folder.file(path, content, run);
      }
    }
    unpacker.end();
  } catch (error) {
    if (error instanceof PatchbayError) throw error;
    throw policy.invalid(`is not a whole tar archive: ${messageOf(error)}`, error);
  } finally {
    packed.destroy();
  }
  folder.finishArchive();
}

interface Unpacked {
  readonly path: string;
  /** Undefined for a folder. */
  readonly content: Buffer | undefined;
  readonly run: boolean;
}

/** Turns chunks of an archive into whole files, which its policy has admitted before their content is kept. */
class Unpacker {
  readonly #policy: Policy;
  // zstd off, and gzip never reaches it: nothing is unpacked that the caller does not count.
  readonly #parser = new Parser({ strict: true, zstd: false, brotli: false });
  #done: Unpacked[] = [];
  #failure: unknown;
  #started = false;
  /** Archives end with two empty blocks; some have only one. */
  #closed = false;
  #ended = false;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#parser.on('entry', (entry: ReadEntry) => this.#guard(() => this.#entry(entry), entry));
    this.#parser.on('ignoredEntry', (entry: ReadEntry) =>
      this.#guard(() => {
        throw policy.refusal('it is of a kind that is not known here', entry.path);
      }),
    );
    this.#parser.on('meta', (text: string) => this.#guard(() => this.#meta(text)));
    this.#parser.on('nullBlock', () => {
      this.#closed = true;
    });
    this.#parser.on('eof', () => {
      this.#ended = true;
    });
    this.#parser.on('error', (error: unknown) => {
      this.#failure ??= error;
    });
  }

  /** What is whole after this chunk. The parser calls back at once, so all of it is there on return. */
  read(chunk: Buffer): readonly Unpacked[] {
    if (!this.#started && chunk[0] === 0x1f && chunk[1] === 0x8b) throw new Error('it is compressed twice');
    this.#started = true;
    // What follows the end is no part of the archive; the parser would hoard it.
    if (!this.#ended) this.#parser.write(chunk);
    if (this.#failure !== undefined) throw this.#failure;
    const done = this.#done;
    this.#done = [];
    return done;
  }

  end(): void {
    this.#parser.end();
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#closed) throw new Error('its end is missing');
  }

  #entry(entry: ReadEntry): void {
    const { path, type } = entry;
    const { size } = entry.header;
    if (type === 'Directory') {
      this.#done.push({ path: this.#policy.folder(path), content: undefined, run: false });
      entry.resume();
      return;
    }
    if (!fileTypes.includes(type)) throw this.#policy.refusal(what[type] ?? 'it is neither a file nor a folder', path);
    if (size === undefined || !Number.isSafeInteger(size)) throw this.#policy.refusal('its size cannot be read', path);
    const admitted = this.#policy.file(path, size);
    const run = ((entry.mode ?? 0) & 0o111) !== 0;
    const chunks: Buffer[] = [];
    entry.on('data', (data) => chunks.push(data));
    entry.on('end', () => {
      const content = Buffer.concat(chunks);
      if (content.length !== size) this.#failure ??= new Error('it is cut short');
      this.#done.push({ path: admitted, content, run });
    });
  }

  /** Extended headers: a name that the parser would cut short, or pass over, is refused instead. */
  #meta(text: string): void {
    const control = 'a name in it has a control character';
    if (/^\d+ GNU\.sparse\./m.test(text)) throw this.#policy.refusal('it has a sparse file');
    if (!/^\d+ [^=\n]+=/.test(text) && /\0[^\0]/.test(text)) throw this.#policy.refusal(control);
    for (const line of text.split('\n')) {
      const [, length] = /^(\d+) (?:path|linkpath|size)=/.exec(line) ?? [];
      if (length === undefined) continue;
      if (line.includes('\0') || Number(length) !== Buffer.byteLength(line) + 1) throw this.#policy.refusal(control);
    }
  }

  #guard(act: () => void, entry?: ReadEntry): void {
    try {
      if (this.#failure === undefined) act();
    } catch (error) {
      this.#failure = error;
    }
    if (this.#failure !== undefined) entry?.resume();
  }
}

async function* unzipped(packed: Readable): AsyncGenerator<Buffer> {
  const chunks = packed[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  const whole = async function* () {
    yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole();
    return;
  }
  // The callback has nothing to do: a failure of either one ends the loop that reads the last.
  const gunzip = pipeline(Readable.from(whole()), createGunzip({ chunkSize: 64 * 1024 }), () => {});
  yield* gunzip as AsyncIterable<Buffer>;
}

/** Chunks of whole blocks: the parser decodes text piece by piece, and would break a character between two chunks. */
async function* inBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % block);
    if (whole > 0) yield all.subarray(0, whole);
    rest = all.subarray(whole);
  }
  if (rest.length > 0) yield rest;
}
