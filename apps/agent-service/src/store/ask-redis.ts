import { ManagerStorageFailedError } from '@agent-workspace/core';

/**
 * What Redis or its client says, and their silence, are told as ours.
 *
 * @param ask a command, or several
 * @throws `manager-storage-failed`
 */
export async function askRedis<T>(operation: string, timeoutMs: number, ask: () => Promise<T>): Promise<T> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(), timeoutMs);
  try {
    return await Promise.race([ask(), silence.promise]);
  } catch (cause) {
    throw new ManagerStorageFailedError({ storage: 'redis', operation }, { cause });
  } finally {
    clearTimeout(timer);
  }
}
