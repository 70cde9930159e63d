import type { MiddlewareHandler } from 'hono';
import type { Service } from '../service.ts';
import type { AppEnv } from './app-env.ts';
import { scopeQuery, workspaceParams } from './schemas.ts';
import { ServiceError } from './service-error.ts';

/** Gives a request the workspace that its path names, for as long as it is worked on. */
export function leaseWorkspace(service: Service): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const params = workspaceParams.safeParse(c.req.param());
    const scope = scopeQuery.safeParse(c.req.query());
    if (!params.success || !scope.success) {
      throw new ServiceError('request-invalid', 'The ids of the request cannot be used.');
    }
    await using lease = await service.workspaces.leaseById(c.get('tenant'), params.data.workspaceId, scope.data, {
      signal: c.req.raw.signal,
    });
    c.set('lease', lease);
    await next();
  };
}
