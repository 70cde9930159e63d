import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ClusterConnection } from './cluster-connection.ts';
import { statusOf, translateError, translateStatus } from './translate-error.ts';

/** What happened to an object. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** Of the watching itself. */
interface Notice {
  readonly type: 'ERROR' | 'BOOKMARK';
  readonly object: unknown;
}

export interface WatchOptions {
  /** Such as `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  /** Such as `fieldSelector` and `resourceVersion`. */
  readonly query: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Tells what happens to objects, as it happens, until the cluster ends it or the signal does. Times are strings in
 * these objects.
 *
 * @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason
 */
export async function* watch<T>(
  connection: ClusterConnection,
  { path, query, signal }: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const operation = `watch ${path}`;
  const options = await connection.connectionOptions();
  const url = new URL(`${connection.server.replace(/\/$/, '')}${path}`);
  url.search = new URLSearchParams({ ...query, watch: 'true' }).toString();
  try {
    signal.throwIfAborted();
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, { ...options, signal });
    // Heard by whoever waits; an abort is told once more, when nobody does.
    request.on('error', () => undefined);
    request.end();
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    try {
      if (response.statusCode !== 200) {
        const said = statusOf(await text(response));
        throw translateStatus(response.statusCode ?? 0, said, { operation, server: connection.server });
      }
      for await (const line of createInterface({ input: response })) {
        const event = JSON.parse(line) as WatchEvent<T> | Notice;
        // The version is too old, or the server goes: whoever watches looks, and watches again.
        if (event.type === 'ERROR') return;
        if (event.type !== 'BOOKMARK') yield event as WatchEvent<T>;
      }
    } finally {
      response.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw translateError(error, operation, connection.server);
  }
}
