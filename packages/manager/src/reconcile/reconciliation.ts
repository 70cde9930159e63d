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
    /** Removed with its data, which nobody was ever given. */
    | 'remove';
  readonly reason: 'open-here' | 'open-elsewhere' | 'closed' | 'too-young' | 'owned' | 'owner-unknown' | 'nobodys';
}

/** Another replica may be about to record what it has just made. */
const TOO_YOUNG_MS = 60_000;

export interface ReconciliationOptions {
  readonly storage: ManagerStorage;
  /** The storage outlives this process, so that what it does not know is nobody's. */
  readonly isBound: boolean;
  readonly isOpenHere: (workspaceId: string) => boolean;
}

/** By which rule a sandbox is dealt with. Nothing is removed whose owner might be unknown to us alone. */
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
  // Data that were to go when it was closed are there if whoever closed it did not come to that.
  if (isClosed && (isOwned || !isBound)) return plan(isPersistent ? 'leave' : 'stop', 'closed');
  if (isOwned) {
    // What a restart of the machine has ended is not all begun again: who asks for his gets it, with its data.
    return plan(isPersistent && !isRunning ? 'stop' : 'adopt', 'owned');
  }
  if (!isBound) return plan(isPersistent ? 'stop' : 'adopt', 'owner-unknown');
  if (Date.now() - createdAt < TOO_YOUNG_MS) return plan('leave', 'too-young');
  return plan('remove', 'nobodys');
}
