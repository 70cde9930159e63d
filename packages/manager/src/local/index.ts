export { LocalWorkspaceManager, type LocalWorkspaceManagerOptions } from './local-workspace-manager.ts';
