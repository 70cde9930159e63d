export type { EvictionReason, ManagerEvent, ManagerEventListener, ManagerOperation } from './events/manager-event.ts';
export type { Isolation } from './identity/isolation.ts';
export type { WorkspaceManagerOptions } from './manager-options.ts';
export type { PrewarmOptions } from './prewarm/prewarm-buffer.ts';
export type { FoundSandbox, Reconciliation } from './reconcile/reconciliation.ts';
export type { LeaseOptions, ManagerStorage, WorkLease } from './storage/manager-storage.ts';
export { MemoryStorage } from './storage/memory-storage.ts';
export { type NewWorkspaceContext, WorkspaceManagerBase } from './workspace-manager-base.ts';
