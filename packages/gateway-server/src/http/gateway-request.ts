import { HEADERS } from '@agent-workspace/gateway-protocol';
import type { AttachedHost } from '../attached/attached-host.ts';
import type { Call } from './call-registry.ts';

/** A request of an attached host, whatever has brought it here. */
export interface GatewayRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whose token it has. */
  readonly host: AttachedHost;
  /** Aborted when its connection is dropped. */
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
  /** A part of the path that the route names. */
  part(name: string): string;
  /** The body as it comes. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The body in one piece, which is quicker where it is small. */
  whole(): Promise<Uint8Array>;
}

/** The call that a request is: over when its connection is dropped or `DELETE /calls/{id}` says so. */
export function beginCall(request: GatewayRequest): Call {
  return request.host.calls.begin(request.header(HEADERS.callId), request.signal);
}

/** What errors call a request. */
export function operationOf({ method, path }: Pick<GatewayRequest, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
