import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip; what a field is lied about in stands in `claim`. */
export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Uint8Array | undefined;
  /** Unix type and permission bits. Default a file of mode 0644; 0 for an entry made without them. */
  readonly mode?: number | undefined;
  /** Default deflated. */
  readonly isStored?: boolean | undefined;
  readonly claim?:
    | {
        readonly sizeBytes?: number | undefined;
        readonly checksum?: number | undefined;
        readonly flags?: number | undefined;
        readonly method?: number | undefined;
      }
    | undefined;
}

const UTF8_NAMES = 0x800;
const MADE_ON_UNIX = 3 << 8;

/** A zip, honest or not. */
export function zipArchive(entries: readonly ZipEntry[]): Uint8Array {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, isStored = false, claim = {} } of entries) {
    const bytes = Buffer.from(content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    // From "version needed" to "extra length", as both headers have it.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(UTF8_NAMES | (claim.flags ?? 0), 2);
    common.writeUInt16LE(claim.method ?? (isStored ? 0 : 8), 4);
    common.writeUInt32LE(claim.checksum ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claim.sizeBytes ?? bytes.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, nameBytes, packed]);
    const head = Buffer.from('PK\u0001\u0002\0\0');
    head.writeUInt16LE(MADE_ON_UNIX, 4);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(head, common, tail, nameBytes);
    bodies.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, central, end]);
}
