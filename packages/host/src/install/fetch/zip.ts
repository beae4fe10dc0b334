import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import type { StagingFolder } from './folder.ts';

const kindBits = 0o170000;
const regular = 0o100000;
const directory = 0o040000;
const link = 0o120000;
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Unpacks a `.zip` file. Its one top folder, if it has one, is taken off. */
export async function stageZip(path: string, folder: StagingFolder): Promise<void> {
  const { policy } = folder;
  try {
    // Names stay as bytes: the library would mend some of them, and its errors do not name the entry.
    const zip = await openPromise(path, { decodeStrings: false });
    // What it says of itself is enough to refuse it; that it says too little is found out entry by entry.
    policy.announced(zip.entryCount);
    for await (const entry of zip.eachEntry()) await stageEntry(zip, entry, folder);
  } catch (error) {
    if (error instanceof PatchbayError) throw error;
    throw policy.invalid(`is not a whole zip archive: ${messageOf(error)}`, error);
  }
  folder.finishArchive();
}

async function stageEntry(zip: ZipFile, entry: Entry, folder: StagingFolder): Promise<void> {
  const { policy } = folder;
  const { fileNameRaw, generalPurposeBitFlag, extraFields, uncompressedSize: size } = entry;
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
  const mode = entry.externalFileAttributes >>> 16; // Of no system but Unix, where it is 0.
  const kind = mode & kindBits;
  if (kind === link) throw policy.refusal('it is a link', name);
  if (kind !== 0 && kind !== regular && kind !== directory) {
    throw policy.refusal('it is neither a file nor a folder', name);
  }
  if (kind === directory || name.endsWith('/')) {
    if (kind === regular || size > 0) throw policy.refusal('it is both a file and a folder', name);
    folder.folder(policy.folder(name));
    return;
  }
  if (entry.isEncrypted()) throw policy.refusal('it is encrypted', name);
  if (!entry.canDecodeFileData()) throw policy.refusal('it is compressed in a way that is not known here', name);
  const path = policy.file(name, size);
  const header = await zip.readLocalFileHeaderPromise(entry);
  if (!header.fileName.equals(fileNameRaw)) throw policy.refusal('it has another name in another place', name);
  await folder.file(path, await contentOf(zip, entry, name, folder), (mode & 0o111) !== 0);
}

async function contentOf(zip: ZipFile, entry: Entry, name: string, { policy }: StagingFolder): Promise<Buffer> {
  const { compressedSize, compressionMethod, uncompressedSize: size } = entry;
  // What cannot be compressed grows by a few bytes in each block, never by more.
  if (compressedSize > size + size / 64 + 1024) throw policy.refusal('it is larger packed than unpacked', name);
  let content: Buffer = await buffer(await zip.openReadStreamPromise(entry, { decodeFileData: false }));
  if (compressionMethod !== 0) {
    try {
      content = await inflate(content, { maxOutputLength: Math.max(size, 1) });
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      throw policy.refusal(`it unpacks to more than the ${size} bytes it claims`, name);
    }
  }
  if (content.length !== size || crc32(content) !== entry.crc32) throw policy.invalid(`${name} in it is damaged`);
  return content;
}
