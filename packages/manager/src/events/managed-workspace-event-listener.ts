import type { WorkspaceEvent } from '@agent-workspace/core';

/** Is told what any workspace of a manager tells, and which one it was. */
export type ManagedWorkspaceEventListener = (event: WorkspaceEvent, workspaceId: string) => void;
