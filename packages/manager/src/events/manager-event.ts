/** Why a workspace was closed. */
export type EvictionReason = 'idle' | 'closed' | 'destroyed' | 'dead' | 'shutdown';

/** What was under way when something failed. */
export type ManagerOperation = 'build' | 'evict' | 'destroy' | 'prewarm' | 'reconcile' | 'heartbeat';

interface Timed {
  readonly workspaceId: string;
  readonly durationMs: number;
}

/** Everything that a manager tells as it happens. */
export type ManagerEvent =
  /** A brand-new workspace. */
  | ({ readonly type: 'workspace-created' } & Timed)
  /** One that was there before: its data, or all of it. */
  | ({ readonly type: 'workspace-attached' } & Timed)
  | ({ readonly type: 'workspace-evicted'; readonly reason: EvictionReason } & Timed)
  | ({ readonly type: 'workspace-prewarmed' } & Timed)
  /** What nobody owned was stopped or removed. */
  | ({ readonly type: 'workspace-reaped' } & Timed)
  | {
      readonly type: 'workspace-failed';
      readonly operation: ManagerOperation;
      /** Left out where it is about none in particular. */
      readonly workspaceId?: string | undefined;
      readonly durationMs: number;
      readonly error: unknown;
    };

export type ManagerEventListener = (event: ManagerEvent) => void;
