import type { SandboxNetwork } from './sandbox-spec.ts';

/** What the SDK calls by this name. */
const ALL_TRAFFIC = '0.0.0.0/0';

/**
 * Whether a sandbox reaches what is outside. It is all or nothing: where everything is denied, so are the
 * exceptions to it.
 */
export function reachesInternet(
  network: SandboxNetwork | undefined,
  allowInternetAccess: boolean | undefined,
): boolean {
  return allowInternetAccess !== false && network?.denyOut?.includes(ALL_TRAFFIC) !== true;
}
