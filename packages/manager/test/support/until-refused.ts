import type { ManagerStorage } from '../../src/index.ts';

/** Settles when a storage has refused somebody a lease, who waits for it from then on. */
export async function untilRefused(storage: ManagerStorage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const acquireLease = storage.acquireLease.bind(storage);
  storage.acquireLease = async (workspaceId, options) => {
    const lease = await acquireLease(workspaceId, options);
    if (lease === undefined) resolve();
    return lease;
  };
  await promise;
}
