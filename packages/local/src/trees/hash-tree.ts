import { createHash } from 'node:crypto';
import { closeSync, constants, readlinkSync } from 'node:fs';
import type { HashTreeOptions } from '@agent-workspace/core';
import { readFully } from '../files/descriptor.ts';
import { byCodeUnit } from '../files/entries.ts';
import { openRegular } from '../files/open-regular.ts';
import { Pacer } from '../files/pacer.ts';
import type { PathGuard } from '../files/path-guard.ts';
import { throwIfAborted } from '../files/translate-error.ts';
import { walkTree } from './walk-tree.ts';

const CHUNK_BYTES = 256 * 1024;
/** The owner's alone, since the other bits depend on the umask of whoever made the copy. */
const EXECUTABLE = 0o100n;

/**
 * SHA-256 over a line of JSON for each file, `[path, "file" or "executable", SHA-256 of its content]`,
 * and each link, `[path, "link", target]`, in the order of their paths. Directories count by what is
 * in them, as they do in Git.
 */
export async function hashTree(guard: PathGuard, directory: string, options: HashTreeOptions = {}): Promise<string> {
  const check = (): void => throwIfAborted(options.signal, 'hash', directory);
  check();
  const pacer = new Pacer(check);
  const lines: { path: string; line: string }[] = [];
  const walk = walkTree(guard.target(directory), { pacer, ignoreNames: options.ignoreNames });
  for await (const { path, realPath, kind } of walk) {
    if (kind === 'link') lines.push({ path, line: JSON.stringify([path, 'link', readlinkSync(realPath)]) });
    if (kind === 'file') {
      const { isExecutable, hash } = await hashFile(realPath, pacer);
      lines.push({ path, line: JSON.stringify([path, isExecutable ? 'executable' : 'file', hash]) });
    }
  }
  const hash = createHash('sha256');
  for (const { line } of lines.toSorted((a, b) => byCodeUnit(a.path, b.path))) hash.update(`${line}\n`, 'utf8');
  return hash.digest('hex');
}

async function hashFile(realPath: string, pacer: Pacer): Promise<{ isExecutable: boolean; hash: string }> {
  const { descriptor, stats } = openRegular(realPath, constants.O_RDONLY, realPath);
  try {
    const hash = createHash('sha256');
    for (let position = 0; ;) {
      const chunk = await readFully(descriptor, CHUNK_BYTES, position);
      if (chunk.byteLength === 0) break;
      hash.update(chunk);
      position += chunk.byteLength;
      if (pacer.isDue) await pacer.pause();
    }
    return { isExecutable: (stats.mode & EXECUTABLE) !== 0n, hash: hash.digest('hex') };
  } finally {
    closeSync(descriptor);
  }
}
