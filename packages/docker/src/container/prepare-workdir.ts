import { chmod, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Stats } from 'node:fs';
import {
  type HostDirectory,
  makeHostDirectory,
  onHostWorkdir,
  WorkdirInvalidError,
  WorkdirNotWritableError,
} from '@agent-workspace/core';
import { type ContainerUser, DEFAULT_USER, formatUser } from './container-user.ts';
import { handOver, isOurs } from './hand-over.ts';

export interface PreparedWorkdir {
  /** Without links, as the engine is told. */
  readonly path: string;
  /** Whom the container runs as. */
  readonly user: ContainerUser;
  /** What had to be made for it. */
  readonly made: HostDirectory;
}

/** For a host that has made a directory to hand it over. */
const HAND_OVER_MS = 500;
const LOOK_MS = 20;
const DIRECTORY_MODE = 0o755;
/**
 * Of a directory that root has made for someone else: nobody makes one like it by chance, and it comes with the
 * directory. So where the host is killed before it has handed it over, the next one knows that it may.
 */
const UNFINISHED_MODE = 0o1700;

/** The user of this process, or 1000 where that is root or unknown. */
export function hostUser(): ContainerUser {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined || uid === 0 ? DEFAULT_USER : { uid, gid };
}

/**
 * Makes the directory if it is not there, and settles who works in it: the user asked for, else the
 * directory's owner, else, where that is root, user 1000, to whom it is handed over if it is ours.
 *
 * @throws `workdir-invalid`, `workdir-not-writable`
 */
export async function prepareWorkdir(workdir: string, asked: ContainerUser | undefined): Promise<PreparedWorkdir> {
  const path = resolve(workdir);
  const { made, ...opened } = await openDirectory(path);
  const deadline = Date.now() + HAND_OVER_MS;
  for (let { facts } = opened; ; { facts } = await openDirectory(path)) {
    const owner = { uid: facts.uid, gid: facts.gid };
    const user = asked ?? (owner.uid === 0 ? DEFAULT_USER : owner);
    const prepared = { path: opened.path, user, made };
    // Elsewhere the engine is in a virtual machine, which shows every file as the container's own.
    const isRoot = owner.uid === 0 && process.getuid?.() === 0;
    const isUnfinished = isRoot && (facts.mode & 0o7777) === UNFINISHED_MODE;
    if (isUnfinished) {
      await handOver(opened.path, user);
      await chmod(opened.path, DIRECTORY_MODE);
      return prepared;
    }
    if (process.platform !== 'linux' || mayWrite(facts, user)) return prepared;
    if (isRoot && (made.isNew || (await isOurs(opened.path)))) {
      await handOver(opened.path, user);
      return prepared;
    }
    // Another host may have made it a moment ago, and be about to hand it over.
    const isFresh = isRoot && Date.now() - facts.ctimeMs < HAND_OVER_MS;
    if (!isFresh || Date.now() > deadline) {
      throw new WorkdirNotWritableError({ workdir: opened.path, owner: formatUser(owner), user: formatUser(user) });
    }
    await setTimeout(LOOK_MS);
  }
}

async function openDirectory(
  workdir: string,
): Promise<{ readonly path: string; readonly made: HostDirectory; readonly facts: Stats }> {
  return onHostWorkdir(workdir, async () => {
    const made = await makeHostDirectory(workdir, process.getuid?.() === 0 ? { mode: UNFINISHED_MODE } : {});
    const path = await realpath(workdir);
    const facts = await stat(path);
    if (!facts.isDirectory()) throw new WorkdirInvalidError({ workdir, reason: 'not-a-directory' });
    return { path, made, facts };
  });
}

/** By the permission bits: to make entries in a directory takes writing and searching. */
function mayWrite({ uid, gid, mode }: Stats, user: ContainerUser): boolean {
  const needed = 0o3;
  if (user.uid === 0) return true;
  if (user.uid === uid) return ((mode >> 6) & needed) === needed;
  if (user.gid === gid) return ((mode >> 3) & needed) === needed;
  return (mode & needed) === needed;
}
