import { WorkspaceError } from './workspace-error.ts';

export type KubernetesOptionsInvalidDetails = {
  readonly option: string;
  /** What is wrong with it, as a sentence that says what to give instead. */
  readonly reason: string;
};

/** An option of a Kubernetes workspace means nothing, or contradicts another, or what is there already. */
export class KubernetesOptionsInvalidError extends WorkspaceError<
  'kubernetes-options-invalid',
  KubernetesOptionsInvalidDetails
> {
  static readonly code = 'kubernetes-options-invalid';

  constructor(details: KubernetesOptionsInvalidDetails, options?: ErrorOptions) {
    super({
      code: KubernetesOptionsInvalidError.code,
      message: `The option ${details.option} cannot be used: ${details.reason}`,
      details,
      cause: options?.cause,
    });
  }
}
