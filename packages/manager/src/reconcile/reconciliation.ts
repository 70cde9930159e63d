import type { ManagerStorage } from '../storage/manager-storage.ts';

/** A sandbox that carries the manager's id. */
export interface FoundSandbox {
  readonly workspaceId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Its data outlive a stop. */
  readonly isPersistent: boolean;
  /** Default true, also where the engine does not tell. */
  readonly isRunning?: boolean | undefined;
  /** It is as `close()` leaves one with persistent data, so that there is nothing to adopt or to stop. Default false. */
  readonly isClosed?: boolean | undefined;
}

/** What is done with a sandbox that was found at the start, and why. */
export interface Reconciliation {
  readonly workspaceId: string;
  readonly action:
    /** Left as it is. */
    | 'leave'
    /** Opened here, so that its time counts from now. */
    | 'adopt'
    /** Stopped as by `close()`; its data stay if they are persistent. */
    | 'stop'
    /** Removed: a prewarmed one that nobody was ever given, as the storage says. */
    | 'remove';
  readonly reason: 'open-here' | 'open-elsewhere' | 'closed' | 'too-young' | 'owned' | 'owner-unknown' | 'nobodys';
}

/** Another replica may be about to record what it has just made. */
const TOO_YOUNG_MS = 60_000;

export interface ReconciliationOptions {
  readonly storage: ManagerStorage;
  /** The storage outlives this process. */
  readonly isBound: boolean;
  readonly isOpenHere: (workspaceId: string) => boolean;
}

/**
 * By which rule a sandbox is dealt with. Only what is known to be a slot is removed: a storage that knows nothing of a
 * sandbox may have lost what it knew, or have been bound after it was given to somebody.
 */
export async function planReconciliation(
  { workspaceId, createdAt, isPersistent, isRunning = true, isClosed = false }: FoundSandbox,
  { storage, isBound, isOpenHere }: ReconciliationOptions,
): Promise<Reconciliation> {
  const plan = (action: Reconciliation['action'], reason: Reconciliation['reason']): Reconciliation => ({
    workspaceId,
    action,
    reason,
  });
  if (isOpenHere(workspaceId)) return plan('leave', 'open-here');
  if ((await storage.listAttached(workspaceId)).length > 0) return plan('leave', 'open-elsewhere');
  const isOwned = (await storage.findOwner(workspaceId)) !== undefined;
  const isYoung = Date.now() - createdAt < TOO_YOUNG_MS;
  if (!isOwned && (await storage.isSlot(workspaceId))) {
    return isYoung ? plan('leave', 'too-young') : plan('remove', 'nobodys');
  }
  // Data that were to go when it was closed are there if whoever closed it did not come to that.
  if (isClosed) return plan(isPersistent ? 'leave' : 'stop', 'closed');
  if (isOwned) {
    // What a restart of the machine has ended is not all begun again: who asks for his gets it, with its data.
    return plan(isPersistent && !isRunning ? 'stop' : 'adopt', 'owned');
  }
  if (isBound && isYoung) return plan('leave', 'too-young');
  if (isPersistent) return plan('stop', 'owner-unknown');
  // With a storage, what has no owner is not opened: its end would be that of its data.
  return plan(isBound ? 'leave' : 'adopt', 'owner-unknown');
}
