/** An entry of a tar, by the type flag that its header has. */
export interface TarEntry {
  readonly name: string;
  readonly content?: string | Uint8Array | undefined;
  readonly mode?: number | undefined;
  /** Default a file. */
  readonly type?: 'file' | 'directory' | 'symlink' | 'hardlink' | 'character-device' | 'fifo' | undefined;
  /** What a link leads to. */
  readonly target?: string | undefined;
  /** Default the content's. */
  readonly claimedSizeBytes?: number | undefined;
}

const TYPE_FLAGS = {
  file: '0',
  hardlink: '1',
  symlink: '2',
  'character-device': '3',
  directory: '5',
  fifo: '6',
} as const;

const BLOCK_BYTES = 512;

/** A ustar archive, honest or not. Names of up to 100 bytes. */
export function tarArchive(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry, content.length), content, Buffer.alloc(-content.length & (BLOCK_BYTES - 1))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header(entry: TarEntry, sizeBytes: number): Buffer {
  const { name, mode = 0o644, type = 'file', target = '', claimedSizeBytes = sizeBytes } = entry;
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, offset: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  };
  block.write(name, 0, 100, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(claimedSizeBytes, 124, 12);
  octal(0, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(TYPE_FLAGS[type], 156, 'latin1');
  block.write(target, 157, 100, 'utf8');
  block.write('ustar\u000000', 257, 'latin1');
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  block.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
