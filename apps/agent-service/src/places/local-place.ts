import { LocalWorkspaceManager } from '@agent-workspace/manager/local';
import type { OpenManager } from './place.ts';

/** Directories of this machine. */
export const openLocal: OpenManager = ({ sandbox: _sandbox, cluster: _cluster, ...options }) =>
  LocalWorkspaceManager.open(options);
