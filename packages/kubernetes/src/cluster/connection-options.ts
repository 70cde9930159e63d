/** How a cluster is reached. */
export interface KubernetesConnectionOptions {
  /**
   * Path of a kubeconfig, or its text. Default: `KUBECONFIG`, else `~/.kube/config`, else the service account of
   * the Pod that this process runs in.
   */
  readonly kubeconfig?: string | undefined;
  /** Of the kubeconfig. Default: its current one. */
  readonly context?: string | undefined;
  /** Default: the context's, else that of the Pod that this process runs in, else `default`. */
  readonly namespace?: string | undefined;
}
