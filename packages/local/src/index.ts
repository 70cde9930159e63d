export { LocalBackend, type LocalBackendOptions } from './local-backend.ts';
export { LocalWorkspace, type LocalWorkspaceOptions } from './local-workspace.ts';
