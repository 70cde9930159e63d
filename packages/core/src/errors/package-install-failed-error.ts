import { WorkspaceError } from './workspace-error.ts';

export type PackageInstallFailedDetails = {
  readonly packages: readonly string[];
  readonly exitCode: number;
  /** The end of what the installer printed. */
  readonly output: string;
};

/** Packages that were asked for could not be installed in the sandbox. */
export class PackageInstallFailedError extends WorkspaceError<'package-install-failed', PackageInstallFailedDetails> {
  static readonly code = 'package-install-failed';

  constructor(details: PackageInstallFailedDetails, options?: ErrorOptions) {
    super({
      code: PackageInstallFailedError.code,
      message: `The packages ${details.packages.join(', ')} were not installed (exit code ${details.exitCode}). Check their names, and that the sandbox may reach their registry.\n${details.output}`,
      details,
      cause: options?.cause,
    });
  }
}
