import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ClusterFolder } from './cluster-folder.ts';

const NOTICE_AFTER_MS = 1000;

/**
 * Lets one command at a time change the cluster in a folder. The lock is the kernel's and is held by a
 * child that ends when this process does, even by kill -9, so that a crash leaves none behind.
 */
export async function lockCluster(folder: ClusterFolder): Promise<AsyncDisposable> {
  const holder = spawn('flock', [folder.lockFile, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const notice = setTimeout(() => {
    console.error('Another cluster command is at work in this folder; waiting for it.');
  }, NOTICE_AFTER_MS);
  holder.stdin.write('held\n');
  const [answer] = await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')]);
  clearTimeout(notice);
  if (!Buffer.isBuffer(answer)) throw new Error(`Could not lock ${folder.lockFile} with flock.`);
  return {
    async [Symbol.asyncDispose]() {
      holder.stdin.end();
      await once(holder, 'exit');
    },
  };
}
