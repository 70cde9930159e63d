import type { Transport as AnyTransport } from '@agent-workspace/gateway-client';

export type TransportKind = 'pod-ip' | 'port-forward' | 'exec';

/** A way from this host to the gateway in a Pod. */
export type Transport = AnyTransport<TransportKind>;
