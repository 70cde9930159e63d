import { WorkspaceError } from './workspace-error.ts';

export type E2BTemplateUnsuitableDetails = {
  readonly template: string;
  /** What it lacks. */
  readonly reason: string;
};

/** A sandbox of this template cannot run a workspace. */
export class E2BTemplateUnsuitableError extends WorkspaceError<
  'e2b-template-unsuitable',
  E2BTemplateUnsuitableDetails
> {
  static readonly code = 'e2b-template-unsuitable';

  constructor(details: E2BTemplateUnsuitableDetails, options?: ErrorOptions) {
    super({
      code: E2BTemplateUnsuitableError.code,
      message: `The template ${details.template} cannot hold a workspace: ${details.reason}. buildTemplate() of @agent-workspace/e2b makes one that can, out of any template or image.`,
      details,
      cause: options?.cause,
    });
  }
}
