import { HEADERS } from '@agent-workspace/gateway-protocol';
import type { Context, Hono } from 'hono';
import type { AttachedHost } from '../attached/attached-host.ts';
import type { Call } from './call-registry.ts';

export interface GatewayEnv {
  readonly Variables: {
    /** Whose token the request has. */
    readonly host: AttachedHost;
  };
}

export type GatewayContext = Context<GatewayEnv>;
export type GatewayApp = Hono<GatewayEnv>;

/** The call that a request is: over when its connection is dropped or `DELETE /calls/{id}` says so. */
export function beginCall(context: GatewayContext): Call {
  return context.var.host.calls.begin(context.req.header(HEADERS.callId), context.req.raw.signal);
}

/** What errors call a request. */
export function operationOf(context: GatewayContext): string {
  return `${context.req.method} ${context.req.path}`;
}
