import { interruption } from '../interruption.ts';

/** Calls so many times, that many at once. */
export async function callAtOnce(calls: number, atOnce: number, call: () => Promise<void>): Promise<void> {
  let left = calls;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      interruption.throwIfAborted();
      await call();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
