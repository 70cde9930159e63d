import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from './app-env.ts';
import { isLoopback } from './loopback.ts';
import { ServiceError } from './service-error.ts';

/**
 * On loopback, takes requests to this machine's own names alone: a page of a stranger whose name was
 * made to lead here has its own name in `Host`.
 */
export function hostCheck(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { hostname } = new URL(c.req.url);
    if (!isLoopback(hostname)) {
      throw new ServiceError(
        'host-not-allowed',
        'This service listens on loopback, and answers to localhost and 127.0.0.1.',
      );
    }
    await next();
  };
}
