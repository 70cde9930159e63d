/** The right of one replica to build, evict or destroy a workspace. */
export interface WorkLease {
  readonly workspaceId: string;
  /** Grows with each lease of a workspace, so that what a holder does too late can be told from what the next one does. */
  readonly fence: number;
}

export interface LeaseOptions {
  /** Of the replica that takes it. */
  readonly replicaId: string;
  /** Milliseconds after which it is anyone's, unless renewed. */
  readonly ttlMs: number;
}

/**
 * What a manager remembers beyond its own life, and what the replicas of a service agree by. Every
 * method is atomic: of two callers at once, one is first for both. A method that fails has said so with
 * `manager-storage-failed`, and may be called again.
 */
export interface ManagerStorage extends AsyncDisposable {
  /** By which sandboxes are labelled as this service's: made at the first call, the same ever after, for every replica. */
  managerId(): Promise<string>;

  /** The workspace of a user, an agent or a session, if one was bound. */
  findBinding(binding: string): Promise<string | undefined>;
  /** Binds a workspace, unless one is bound. @returns the one that is bound now */
  bind(binding: string, workspaceId: string): Promise<string>;

  findOwner(workspaceId: string): Promise<string | undefined>;
  /** Records whose a workspace is, unless it is recorded. @returns the owner now */
  claim(workspaceId: string, userId: string): Promise<string>;
  /**
   * Records that a workspace is a prewarmed one that nobody was given, until it is claimed or forgotten. In vain where
   * it has an owner.
   */
  markSlot(workspaceId: string): Promise<void>;
  /** Whether that is recorded: what a storage does not know, or knows no more, is no slot. */
  isSlot(workspaceId: string): Promise<boolean>;

  /** @returns `undefined` while another replica has it */
  acquireLease(workspaceId: string, options: LeaseOptions): Promise<WorkLease | undefined>;
  /** @returns whether it still was this lease's to renew */
  renewLease(lease: WorkLease, options: LeaseOptions): Promise<boolean>;
  releaseLease(lease: WorkLease): Promise<void>;

  /**
   * Says that a replica lives, for so long.
   *
   * @returns `false` where it was not known to live until now: it has just begun, or it was silent for too long,
   * and what it has open may have been forgotten
   */
  heartbeat(options: LeaseOptions): Promise<boolean>;
  /** Records that a replica has a workspace open. @returns `false`, with nothing recorded, where the lease has passed on */
  attach(lease: WorkLease, replicaId: string): Promise<boolean>;
  detach(workspaceId: string, replicaId: string): Promise<void>;
  /** The replicas that have a workspace open, and live. */
  listAttached(workspaceId: string): Promise<readonly string[]>;

  /** Removes its owner or its mark as a slot, its bindings and its attachments. The fence is kept. */
  forget(workspaceId: string): Promise<void>;
  /** Lets go of the connection or file. */
  close(): Promise<void>;
}
