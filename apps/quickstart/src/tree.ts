import type { Backend } from '@agent-workspace/core';

/** Folders with more in them are cut, so that a tree fits a screen. */
const MAX_ENTRIES = 10;

/** What lies in a directory, drawn as a tree with sizes. */
export async function drawTree(backend: Backend, directory: string, indent = ''): Promise<string[]> {
  const entries = (await backend.readDirectory(directory)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const lines: string[] = [];
  for (const [index, { name, kind }] of entries.slice(0, MAX_ENTRIES).entries()) {
    const isLast = index === entries.length - 1;
    const path = `${directory}/${name}`;
    const size = kind === 'file' ? `  ${(await backend.stat(path))?.sizeBytes ?? 0} bytes` : '/';
    lines.push(`${indent}${isLast ? '└── ' : '├── '}${name}${size}`);
    if (kind === 'directory') lines.push(...(await drawTree(backend, path, `${indent}${isLast ? '    ' : '│   '}`)));
  }
  if (entries.length > MAX_ENTRIES) lines.push(`${indent}└── … ${entries.length - MAX_ENTRIES} more`);
  return lines;
}
