import { WorkspaceError } from './workspace-error.ts';

export type KubernetesUnavailableDetails = {
  /** The API server, or what names it. */
  readonly server: string;
  readonly reason: string;
};

const ADVICE =
  'Look with `kubectl get --raw /readyz`, and name the cluster with the kubeconfig and context options or KUBECONFIG.';

/** No API server answers, or it does not know who asks. */
export class KubernetesUnavailableError extends WorkspaceError<'kubernetes-unavailable', KubernetesUnavailableDetails> {
  static readonly code = 'kubernetes-unavailable';

  constructor(details: KubernetesUnavailableDetails, options?: ErrorOptions) {
    super({
      code: KubernetesUnavailableError.code,
      message: `The cluster at ${details.server} cannot be used: ${details.reason}. ${ADVICE}`,
      details,
      isRetryable: true,
      cause: options?.cause,
    });
  }
}
