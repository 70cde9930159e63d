import { setTimeout } from 'node:timers/promises';
import { type Logger, WorkspaceError } from '@agent-workspace/core';
import type { V1Pod } from '@kubernetes/client-node';
import type { ClusterConnection } from '../cluster/cluster-connection.ts';
import { hasStatus } from '../cluster/translate-error.ts';
import { watch } from '../cluster/watch.ts';

export interface FollowPodOptions {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** Without news for this time it is looked at anew, since a watch may have died silently. */
const SILENCE_MS = 10_000;
const RETRY_MS = 250;

/** Reads a Pod. @returns `undefined` if there is none */
export async function readPod(
  connection: ClusterConnection,
  name: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<V1Pod | undefined> {
  try {
    const { core, namespace } = connection;
    return await connection.call(
      `read the Pod ${name}`,
      (o) => core.readNamespacedPod({ name, namespace }, o),
      options,
    );
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}

/**
 * A Pod as it is, and each time that it changes; `undefined` as soon as it is gone, or another one of its name is
 * there. It goes on over restarts of the API server, for as long as the signal lets it.
 *
 * @throws `kubernetes-refused`, and the signal's reason
 */
export async function* followPod(
  connection: ClusterConnection,
  first: V1Pod,
  { name, signal, logger }: FollowPodOptions,
): AsyncGenerator<V1Pod | undefined, void, undefined> {
  const uid = first.metadata?.uid;
  const path = `/api/v1/namespaces/${connection.namespace}/pods`;
  let known: V1Pod | undefined = first;
  yield known;
  for (;;) {
    const resourceVersion: string = known.metadata?.resourceVersion ?? '';
    const silence = AbortSignal.timeout(SILENCE_MS);
    try {
      const query = { fieldSelector: `metadata.name=${name}`, resourceVersion };
      for await (const { type, object } of watch<V1Pod>(connection, {
        path,
        query,
        signal: AbortSignal.any([signal, silence]),
      })) {
        const isGone: boolean = type === 'DELETED' || object.metadata?.uid !== uid;
        yield isGone ? undefined : object;
        if (isGone) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!silence.aborted) logger.debug('A Pod cannot be watched, and is looked at.', { name, error });
    }
    known = await look(connection, name, { signal });
    if (known?.metadata?.uid !== uid) known = undefined;
    yield known;
    if (known === undefined) return;
    if (!silence.aborted) await setTimeout(RETRY_MS, undefined, { signal });
  }
}

/** Waits out an API server that is away, or whose answer says that it cannot just now. */
async function look(
  connection: ClusterConnection,
  name: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<V1Pod | undefined> {
  for (;;) {
    try {
      return await readPod(connection, name, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!WorkspaceError.isInstance(error) || !error.isRetryable) throw error;
    }
    await setTimeout(RETRY_MS, undefined, { signal });
  }
}
