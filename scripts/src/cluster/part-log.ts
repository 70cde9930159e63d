import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterFolder } from './cluster-folder.ts';
import type { PartName } from './parts.ts';

const LAST_LINES = 20;

export function partLog(part: PartName, { logDirectory }: ClusterFolder): string {
  return join(logDirectory, `${part}.log`);
}

/** The end of a log. */
export async function lastLines(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trimEnd().split('\n').slice(-LAST_LINES).join('\n');
}
