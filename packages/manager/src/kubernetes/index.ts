export { KubernetesStorage, type KubernetesStorageOptions } from '../storage/kubernetes/kubernetes-storage.ts';
export { KubernetesWorkspaceManager, type KubernetesWorkspaceManagerOptions } from './kubernetes-workspace-manager.ts';
