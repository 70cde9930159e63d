/** Who works on a workspace. */
export interface HeldLease {
  readonly replicaId: string;
  readonly ttlMs: number;
  /** Counts its renewals, so that one that is renewed is told from one that is not. */
  readonly renewals: number;
}

/** All that is known of a workspace, so that each change of it is one compare-and-swap. */
export interface WorkspaceRecord {
  readonly id: string;
  /** Made anew when the workspace is forgotten: a binding holds for the life that it was made in. */
  readonly life: string;
  readonly owner?: string | undefined;
  /** It is a prewarmed one that nobody was given. It has no owner then. */
  readonly isSlot?: boolean | undefined;
  /** Of the last lease; none yet where there was none. */
  readonly fence?: number | undefined;
  readonly lease?: HeldLease | undefined;
  /** The replicas that have it open, or had when they died. */
  readonly attached: readonly string[];
  /** It is about to be collected, unless somebody changes it before. */
  readonly isLeaving?: boolean | undefined;
}

/** Of a user, an agent or a session to a workspace. Written once in a life. */
export interface BindingRecord {
  readonly id: string;
  readonly workspaceId: string;
  readonly life: string;
}

/** A replica that nobody has taken for dead: whoever does removes it. */
export interface ReplicaRecord {
  readonly id: string;
  readonly ttlMs: number;
}

/** Of the service as a whole. */
export interface ServiceRecord {
  readonly id: string;
  readonly managerId?: string | undefined;
  /** No fence of a workspace that was collected is higher. */
  readonly collectedFence?: number | undefined;
  /** Counts the turns of collecting, so that one replica takes each. */
  readonly turns?: number | undefined;
}

export interface Records {
  readonly workspace: WorkspaceRecord;
  readonly binding: BindingRecord;
  readonly replica: ReplicaRecord;
  readonly service: ServiceRecord;
}

export type RecordKind = keyof Records;
