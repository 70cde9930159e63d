import type { Backend } from '../backend/backend.ts';
import type { DiagnosticList } from '../events/diagnostics.ts';
import type { Logger } from '../events/logger.ts';
import type { WorkspaceEventListener } from '../events/workspace-event.ts';
import type { Layout } from './layout.ts';
import type { WorkspaceLock } from './workspace-lock.ts';

/** What every part of a workspace works with. */
export interface WorkspaceContext {
  readonly backend: Backend;
  readonly layout: Layout;
  readonly lock: WorkspaceLock;
  readonly diagnostics: DiagnosticList;
  readonly logger: Logger;
  readonly emit: WorkspaceEventListener;
  /** Sync what was acknowledged to the device, so that it survives a loss of power. */
  readonly sync: boolean;
}
