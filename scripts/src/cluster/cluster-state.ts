import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { ClusterFolder } from './cluster-folder.ts';

/**
 * What `up` changes outside of its folder, written before it does, so that `down` can undo it whatever
 * became of `up`.
 */
export interface ClusterState {
  readonly version: 1;
  /** Which start of the machine it is about: what the kernel holds does not outlive it. */
  readonly bootId: string;
  /** The folder of the programs that run. */
  readonly programsDirectory: string;
  /** Its ports and its network. */
  readonly slot: number;
  /** The kernel's settings as they were. */
  readonly sysctls: Readonly<Record<string, string>>;
  /** Whether the firewall has to be told to let Pods reach each other. */
  readonly needsForwardRule: boolean;
}

const stateSchema: z.ZodType<ClusterState> = z.object({
  version: z.literal(1),
  bootId: z.string(),
  programsDirectory: z.string(),
  slot: z.int(),
  sysctls: z.record(z.string(), z.string()),
  needsForwardRule: z.boolean(),
});

/** Undefined where no cluster was started, or all of it is gone. @throws Error if the file is not one of ours */
export async function readState(folder: ClusterFolder): Promise<ClusterState | undefined> {
  let text: string;
  try {
    text = await readFile(folder.stateFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return stateSchema.parse(JSON.parse(text));
}

/** Returns when the state is on disk, whole. */
export async function writeState(folder: ClusterFolder, state: ClusterState): Promise<void> {
  await mkdir(dirname(folder.stateFile), { recursive: true, mode: 0o700 });
  const unfinished = `${folder.stateFile}.new`;
  const file = await open(unfinished, 'w');
  try {
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, folder.stateFile);
}

export async function currentBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}
