import { GatewayUnauthorizedError } from '@agent-workspace/core';
import { CONTENT_TYPES, ROUTES } from '@agent-workspace/gateway-protocol';
import type { MiddlewareHandler } from 'hono';
import type { AttachedHosts } from '../attached/attached-hosts.ts';
import type { GatewayEnv } from './gateway-context.ts';

/** Names of this machine, by which no other can be meant. */
const OWN_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const BEARER = /^Bearer ([\w-]+)$/i;

export interface GuardOptions {
  readonly hosts: AttachedHosts;
  /** Names that a request may be for, beside those of this machine. */
  readonly allowedHosts: readonly string[];
}

/**
 * Lets nothing pass but requests of attached hosts: no page of a browser, which sends an `Origin`
 * or was led here by a name of its own, and nobody without a token. `GET /health` alone is
 * answered without one.
 */
export function guard({ hosts, allowedHosts }: GuardOptions): MiddlewareHandler<GatewayEnv> {
  const allowed = new Set([...OWN_HOSTS, ...allowedHosts].map((name) => name.toLowerCase()));
  return async (context, next) => {
    const { req } = context;
    const name = (req.header('host') ?? new URL(req.url).host).replace(/:\d+$/, '').toLowerCase();
    if (!allowed.has(name))
      throw new GatewayUnauthorizedError({ reason: `it is for the host ${JSON.stringify(name)}` });
    if (req.header('origin') !== undefined) {
      throw new GatewayUnauthorizedError({ reason: 'it has an Origin, which only pages in browsers send' });
    }
    const authorization = req.header('authorization');
    if (authorization === undefined) {
      if (req.path === ROUTES.health && req.method === 'GET') {
        return new Response('{"status":"ok"}', { headers: { 'content-type': CONTENT_TYPES.json } });
      }
      throw new GatewayUnauthorizedError({ reason: 'it has no token' });
    }
    const token = BEARER.exec(authorization)?.[1];
    const host = token === undefined ? undefined : hosts.authenticate(token);
    if (host === undefined) throw new GatewayUnauthorizedError({ reason: 'its token is not known, or not any more' });
    context.set('host', host);
    return next();
  };
}
