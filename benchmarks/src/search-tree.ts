import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DIRECTORIES = 400;
const FILES_PER_DIRECTORY = 50;
const AVERAGE_FILE_BYTES = 4 * 1024;
const EXTENSIONS = ['ts', 'ts', 'json', 'md', 'py'];
const WORDS =
  'the a value index return await const export import from array string number error stream file path'.split(' ');

/** A word that stands in one file of a hundred, once. */
export const NEEDLE = 'quicksilver';

export interface SearchTree {
  readonly root: string;
  /** Lines with the needle. */
  readonly needleLines: number;
  /** Files that `**\/*.ts` matches. */
  readonly typescriptFiles: number;
}

/** Numbers that look random and are the same each time (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function makeLines(random: () => number, bytes: number): string {
  let text = '';
  while (text.length < bytes) {
    const words = Array.from({ length: 10 }, () => WORDS[Math.floor(random() * WORDS.length)]);
    text += `${words.join(' ')}\n`;
  }
  return text;
}

/**
 * Makes 20,000 files of 80 MB in all, three directories deep; the same tree each time. A tree that
 * is there is used again.
 */
export async function makeSearchTree(scratch: string): Promise<SearchTree> {
  const root = join(scratch, 'search-tree');
  const isThere = (await stat(root).catch(() => undefined)) !== undefined;
  const random = makeRandom(20_000);
  let needleLines = 0;
  let typescriptFiles = 0;
  for (let directory = 0; directory < DIRECTORIES; directory += 1) {
    const folder = join(root, `area-${directory % 10}`, `part-${directory % 40}`, `unit-${directory}`);
    if (!isThere) await mkdir(folder, { recursive: true });
    const writes: Promise<void>[] = [];
    for (let file = 0; file < FILES_PER_DIRECTORY; file += 1) {
      const extension = EXTENSIONS[file % EXTENSIONS.length];
      if (extension === 'ts') typescriptFiles += 1;
      const hasNeedle = file === directory % 100;
      if (hasNeedle) needleLines += 1;
      if (isThere) continue;
      const text = makeLines(random, AVERAGE_FILE_BYTES * (0.5 + random()));
      writes.push(
        writeFile(
          join(folder, `file-${file}.${extension}`),
          `${text}${hasNeedle ? `${NEEDLE}\n` : ''}${text.slice(0, 40)}\n`,
        ),
      );
    }
    await Promise.all(writes);
  }
  return { root, needleLines, typescriptFiles };
}
