import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { TestService } from './in-process.ts';

/** A process that an agent has started. */
export interface AgentProcess {
  isAlive(): boolean;
}

/** Waits for the process whose id is in a file of the one workspace that there is. */
export async function processInWorkspace({ directory }: TestService, file: string): Promise<AgentProcess> {
  const pid = await vi.waitFor(async () => {
    const workspaces = directory.at('data/workspaces');
    const [name = ''] = await readdir(workspaces);
    const [, id] = /^(\d+)\n$/u.exec(await readFile(join(workspaces, name, file), 'utf8')) ?? [];
    if (id === undefined) throw new Error('The process has not begun.');
    return Number(id);
  });
  return { isAlive: () => isAlive(pid) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
