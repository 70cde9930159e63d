import { posix } from 'node:path';
import type { TreeEntry } from '@agent-workspace/core';
import { writeFully } from '../files/descriptor.ts';
import { Pacer } from '../files/pacer.ts';
import type { PathGuard } from '../files/path-guard.ts';
import { throwIfAborted, translating } from '../files/translate-error.ts';
import { TreeWriter, type TreeWriterOptions } from './tree-writer.ts';

export async function writeTree(
  guard: PathGuard,
  directory: string,
  entries: Iterable<TreeEntry> | AsyncIterable<TreeEntry>,
  options: TreeWriterOptions,
): Promise<void> {
  const check = (): void => throwIfAborted(options.signal, 'write', directory);
  check();
  const pacer = new Pacer(check);
  await using writer = TreeWriter.begin(guard, directory, options);
  for await (const entry of entries) {
    if (pacer.isDue) await pacer.pause();
    await translating('write', posix.join(directory, entry.path), () => addEntry(writer, entry));
  }
  check();
  await writer.commit();
}

async function addEntry(writer: TreeWriter, entry: TreeEntry): Promise<void> {
  switch (entry.kind) {
    case 'directory':
      return writer.addDirectory(entry.path, entry.mode);
    case 'file':
      return writer.addFile(entry.path, entry.mode, (descriptor) => writeFully(descriptor, entry.bytes));
    case 'link':
      return writer.addLink(entry.path, entry.target);
  }
}
