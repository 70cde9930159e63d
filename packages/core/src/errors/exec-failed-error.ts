import { WorkspaceError } from './workspace-error.ts';

export type ExecFailedDetails = {
  readonly command: string;
  readonly reason: 'command-not-found' | 'cwd-not-found' | 'not-executable' | 'failed';
  readonly cwd: string;
  readonly problem?: string | undefined;
};

const reasons: Record<ExecFailedDetails['reason'], (details: ExecFailedDetails) => string> = {
  'command-not-found': () => 'there is no such command on the PATH.',
  'cwd-not-found': ({ cwd }) => `its working directory ${cwd} does not exist or is no directory.`,
  'not-executable': () => 'it is not executable.',
  failed: ({ problem }) => problem ?? 'the system refused.',
};

/** A command could not be started at all. One that ran and failed is a result. */
export class ExecFailedError extends WorkspaceError<'exec-failed', ExecFailedDetails> {
  static readonly code = 'exec-failed';

  constructor(details: ExecFailedDetails, options?: ErrorOptions) {
    super({
      code: ExecFailedError.code,
      message: `Could not start ${details.command}: ${reasons[details.reason](details)}`,
      details,
      cause: options?.cause,
    });
  }
}
