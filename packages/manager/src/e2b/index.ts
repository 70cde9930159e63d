export { E2BWorkspaceManager, type E2BWorkspaceManagerOptions } from './e2b-workspace-manager.ts';
