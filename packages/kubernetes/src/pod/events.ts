import type { Logger } from '@agent-workspace/core';
import type { CoreV1Event } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { watch } from '../cluster/watch.ts';

/** What the cluster says happened to a Pod or its claim. */
export interface ClusterEvent {
  readonly kind: string;
  readonly uid: string | undefined;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string | undefined;
}

/** As many as an error shows. */
const MAX_EVENTS = 5;

/** Of errors that are late already. */
const LIST_MS = 5_000;

function toClusterEvent({ involvedObject, type, reason, message }: CoreV1Event): ClusterEvent {
  return {
    kind: involvedObject.kind ?? '',
    uid: involvedObject.uid,
    type: type ?? '',
    reason: reason ?? '',
    message: message ?? '',
    fieldPath: involvedObject.fieldPath,
  };
}

/** Events of a name, Pod's and claim's, as they come. It ends where they may not be watched. */
export async function* followEvents(
  connection: ClusterConnection,
  name: string,
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): AsyncGenerator<ClusterEvent, void, undefined> {
  try {
    const path = `/api/v1/namespaces/${connection.namespace}/events`;
    const query = { fieldSelector: `involvedObject.name=${name}` };
    for await (const { type, object } of watch<CoreV1Event>(connection, { path, query, signal })) {
      if (type !== 'DELETED') yield toClusterEvent(object);
    }
  } catch (error) {
    if (!signal.aborted) logger.debug('The events of a Pod cannot be watched.', { name, error });
  }
}

/** The warnings about a Pod and its claim, the last ones, as an error tells them. */
export async function lastWarnings(
  connection: ClusterConnection,
  name: string,
  uids: readonly (string | undefined)[],
): Promise<readonly ClusterEvent[]> {
  try {
    const { core, namespace } = connection;
    const { items } = await connection.call(
      `list the events of ${name}`,
      (o) => core.listNamespacedEvent({ namespace, fieldSelector: `involvedObject.name=${name}` }, o),
      { timeoutMs: LIST_MS },
    );
    const timeOf = ({ lastTimestamp, eventTime, metadata }: CoreV1Event): number =>
      (lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? new Date(0)).getTime();
    return items
      .toSorted((a, b) => timeOf(a) - timeOf(b))
      .map(toClusterEvent)
      .filter(({ uid, type, reason }) => uids.includes(uid) && (type === 'Warning' || reason === 'FailedBinding'))
      .slice(-MAX_EVENTS);
  } catch {
    // What is known is told without them.
    return [];
  }
}
