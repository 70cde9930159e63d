import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Service } from '../service.ts';
import type { AppEnv } from './app-env.ts';

/** Gives each request an id, counts it, and logs it by its route: a path or query may hold what is private. */
export function accessLog({ logger, metrics }: Service): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const since = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    c.header('X-Request-Id', requestId);
    await next();
    const durationMs = Math.round(performance.now() - since);
    const { method } = c.req;
    const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? 'none';
    const { status } = c.res;
    metrics.requestEnded(method, route, status, durationMs);
    const tenant = c.get('tenant') as string | undefined;
    logger.info('request', {
      requestId,
      method,
      route,
      status,
      durationMs,
      ...(tenant === undefined ? {} : { tenant }),
    });
  };
}
