import { gzipSync } from 'node:zlib';
import { Header, Pax } from 'tar';
import type { Item } from './scratch.ts';

/** An entry of a tar archive, which may be anything but right. */
export interface TarItem extends Item {
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'BlockDevice' | 'FIFO';
  readonly linkpath?: string;
  /** The size that the header claims. */
  readonly size?: number;
  /** Changes the header before its checksum is made. */
  readonly patch?: (header: Buffer) => void;
  /** Records of an extended header before it, as they are. */
  readonly pax?: string;
}

const block = 512;

/** A tar archive of these entries, whatever they are. */
export function tarOf(items: readonly TarItem[]): Buffer {
  return Buffer.concat([...items.map(entryOf), Buffer.alloc(2 * block)]);
}

/** The same, compressed. */
export function tgzOf(items: readonly TarItem[]): Buffer {
  return gzipSync(tarOf(items));
}

/** One entry: its headers, its content, its padding. */
export function entryOf(item: TarItem): Buffer {
  const { path, type = 'File', content = '', mode = 0o644, linkpath, patch, pax } = item;
  const body = Buffer.from(content);
  const size = item.size ?? body.length;
  const fields = { path, type, mode, size, mtime: new Date(0), uid: 0, gid: 0, ...(linkpath ? { linkpath } : {}) };
  const header = new Header(fields);
  const needsPax = header.encode();
  const parts: Buffer[] = [];
  if (pax !== undefined) parts.push(extended('x', Buffer.from(pax)));
  else if (needsPax) parts.push(new Pax({ path, size }).encode());
  const bytes = header.block ?? Buffer.alloc(block);
  patch?.(bytes);
  return Buffer.concat([...parts, checked(bytes), padded(body)]);
}

/** A header of an extended kind, `x` or `L`, with its body. */
export function extended(type: string, body: Buffer): Buffer {
  const header = new Header({ path: 'extended', type: 'File', mode: 0o644, size: body.length });
  header.encode();
  const bytes = header.block ?? Buffer.alloc(block);
  bytes.write(type, 156);
  return Buffer.concat([checked(bytes), padded(body)]);
}

/** A record of an extended header, with its length in front. */
export function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
  return `${length}${rest}`;
}

/** A header with the checksum it should have. */
export function checked(header: Buffer): Buffer {
  header.fill(' ', 148, 156);
  const sum = header.subarray(0, block).reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function padded(body: Buffer): Buffer {
  return Buffer.concat([body, Buffer.alloc((block - (body.length % block)) % block)]);
}
