import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const MAX_BYTES = 64 * 1024;

const stateSchema = z.object({ workspaceId: z.string().min(1) });

/**
 * The id that a directory's `state.json` gives itself, if it has one that can be read. An agent may
 * have written it: it says which container to look for, and proves nothing.
 */
export async function hostWorkspaceId(directory: string): Promise<string | undefined> {
  const path = join(directory, '.workspace', 'state.json');
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = await handle.stat();
    if (!facts.isFile() || facts.size > MAX_BYTES) return undefined;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return stateSchema.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead))).workspaceId;
  } catch {
    // A workspace without one is new. One that is broken is reported when the workspace reads it.
    return undefined;
  }
}
