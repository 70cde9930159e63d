import { WorkspaceError } from './workspace-error.ts';

export type GatewayVersionConflictDetails = {
  readonly accepted: readonly number[];
  readonly found: number;
  readonly bundleHash?: string | undefined;
};

/** A sandbox runs a gateway of another version, and others are attached to it. */
export class GatewayVersionConflictError extends WorkspaceError<
  'gateway-version-conflict',
  GatewayVersionConflictDetails
> {
  static readonly code = 'gateway-version-conflict';

  constructor(details: GatewayVersionConflictDetails, options?: ErrorOptions) {
    super({
      code: GatewayVersionConflictError.code,
      message: `The sandbox runs a gateway of protocol ${details.found}, while this host speaks ${details.accepted.join(' and ')}, and others are attached to it. Close those, or use the same version everywhere.`,
      details,
      cause: options?.cause,
    });
  }
}
