import { readProcessNow } from '@agent-workspace/core';

/**
 * Whether a process of this machine runs, at once; one that the system hides from this user counts.
 *
 * @param startTime without it, any process of that pid counts
 */
export function isRunning(pid: number, startTime?: string): boolean {
  const found = readProcessNow(pid);
  if (found !== undefined) return !found.isZombie && (startTime === undefined || startTime === found.startTime);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
