import { crc32, deflateRawSync } from 'node:zlib';
import type { Item } from './scratch.ts';

/** An entry of a zip archive, which may be anything but right. */
export interface ZipItem extends Item {
  /** The name as it stands before the content, if another. */
  readonly localName?: string;
  /** The name as bytes. */
  readonly rawName?: Buffer;
  /** Of the file type: the upper bits of the mode. @default a regular file, or a folder if the path ends with a slash */
  readonly kind?: number;
  /** The size it claims to have unpacked. */
  readonly size?: number;
  /** The size it claims to have packed. */
  readonly packedSize?: number;
  readonly crc?: number;
  readonly method?: number;
  readonly flags?: number;
  /** Extra fields of the central directory. */
  readonly extra?: Buffer;
}

const utf8 = 0x800;

/** A zip archive of these entries, whatever they are. */
export function zipOf(items: readonly ZipItem[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const item of items) {
    const { content = '', mode = 0o644, method = 8, flags = utf8, extra = Buffer.alloc(0) } = item;
    const body = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(body) : body;
    const name = item.rawName ?? Buffer.from(item.path);
    const localName = item.localName === undefined ? name : Buffer.from(item.localName);
    const kind = item.kind ?? (item.path.endsWith('/') ? 0o040000 : 0o100000);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(item.crc ?? crc32(body), 10);
    common.writeUInt32LE(item.packedSize ?? packed.length, 14);
    common.writeUInt32LE(item.size ?? body.length, 18);
    common.writeUInt16LE(localName.length, 22);
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), common, localName, packed);
    const here = Buffer.alloc(46);
    here.write('PK\x01\x02\x14\x03', 0, 'latin1');
    common.copy(here, 6);
    here.writeUInt16LE(name.length, 28);
    here.writeUInt16LE(extra.length, 30);
    here.writeUInt32LE(((kind | mode) << 16) >>> 0, 38);
    here.writeUInt32LE(offset, 42);
    central.push(here, name, extra);
    offset += 4 + common.length + localName.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(items.length, 8);
  end.writeUInt16LE(items.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
