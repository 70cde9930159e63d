export { DockerWorkspaceManager, type DockerWorkspaceManagerOptions } from './docker-workspace-manager.ts';
