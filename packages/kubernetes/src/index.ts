export { type ClusterCallOptions, ClusterConnection } from './cluster/cluster-connection.ts';
export type { KubernetesConnectionOptions } from './cluster/connection-options.ts';
export {
  type ClusterSurvey,
  type ClusterSurveyOptions,
  removeWorkspacePod,
  surveyCluster,
  type WorkspacePod,
} from './cluster-survey.ts';
export type { KubernetesPodOptions, Patch, PodResources } from './kubernetes-options.ts';
export { KubernetesWorkspace, type KubernetesWorkspaceOptions } from './kubernetes-workspace.ts';
export { applyNetworkPolicy, type NetworkPolicyOptions } from './network-policy.ts';
export { listManagedPods, type ManagedPod, type ManagedPodsOptions, removeManagedPod } from './pod/managed-pods.ts';
export type { TransportKind } from './transport/transport.ts';
