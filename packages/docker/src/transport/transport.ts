import type { Transport as AnyTransport } from '@agent-workspace/gateway-client';

export type TransportKind = 'socket' | 'exec' | 'port';

/** A way from this host to the gateway in a container. */
export type Transport = AnyTransport<TransportKind>;
