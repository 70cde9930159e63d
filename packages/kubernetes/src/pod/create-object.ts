import { setTimeout } from 'node:timers/promises';
import type { ConfigurationOptions } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { hasStatus } from '../cluster/translate-error.ts';

const CONFLICT_ATTEMPTS = 5;
const CONFLICT_MS = 100;

/**
 * Makes an object. Where others count against the same quota at that moment the cluster answers with a conflict, and
 * it is tried again, some times.
 *
 * @param operation what is asked, as it reads after "did not"
 * @returns `undefined` if there is one of its name
 * @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason
 */
export async function createObject<T>(
  connection: ClusterConnection,
  operation: string,
  request: (options: ConfigurationOptions) => Promise<T>,
  { signal }: { readonly signal: AbortSignal },
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Without the signal: what is given up in the middle may yet be made, and nobody would know of it.
      return await connection.call(operation, request);
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
      if (error.details.statusReason === 'AlreadyExists') return undefined;
      if (attempt === CONFLICT_ATTEMPTS) throw error;
    }
    // Those who were in each other's way come back at different times.
    const waitMs = attempt * CONFLICT_MS * (0.5 + Math.random());
    await setTimeout(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
