import { closeSync, constants, lstatSync, readlinkSync } from 'node:fs';
import { type CopyTreeOptions, NotADirectoryError, PathInvalidError } from '@agent-workspace/core';
import { copyContent } from '../files/copy-content.ts';
import { permissionBits } from '../files/file-stat.ts';
import { openRegular } from '../files/open-regular.ts';
import { Pacer } from '../files/pacer.ts';
import type { PathGuard } from '../files/path-guard.ts';
import { throwIfAborted, translating } from '../files/translate-error.ts';
import { TreeWriter, type TreeWriterOptions } from './tree-writer.ts';
import { type WalkedEntry, walkTree } from './walk-tree.ts';

export async function copyTree(
  guard: PathGuard,
  from: string,
  to: string,
  options: CopyTreeOptions & TreeWriterOptions,
): Promise<void> {
  const check = (): void => throwIfAborted(options.signal, 'copy', from);
  check();
  const source = guard.target(from);
  if (!lstatSync(source).isDirectory()) throw new NotADirectoryError({ path: guard.absolute(from) });
  const target = guard.entry(to);
  if (target === source || target.startsWith(`${source}/`)) {
    throw new PathInvalidError({ path: guard.absolute(to), reason: 'a directory cannot be copied into itself' });
  }
  await using writer = await translating('write', to, () => TreeWriter.begin(guard, to, options));
  for await (const entry of walkTree(source, { pacer: new Pacer(check), ignoreNames: options.ignoreNames })) {
    await translating('copy', entry.realPath, () => copyEntry(writer, entry));
  }
  check();
  await writer.commit();
}

async function copyEntry(writer: TreeWriter, { path, realPath, kind }: WalkedEntry): Promise<void> {
  switch (kind) {
    case 'directory':
      return writer.addDirectory(path, permissionBits(lstatSync(realPath, { bigint: true })));
    case 'link':
      return writer.addLink(path, readlinkSync(realPath));
    case 'file':
      return copyFile(writer, path, realPath);
    case 'other':
      return;
  }
}

async function copyFile(writer: TreeWriter, path: string, realPath: string): Promise<void> {
  const { descriptor, stats } = openRegular(realPath, constants.O_RDONLY, realPath);
  try {
    await writer.addFile(path, permissionBits(stats), (target) => copyContent(descriptor, target));
  } finally {
    closeSync(descriptor);
  }
}
