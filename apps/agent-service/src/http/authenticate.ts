import type { MiddlewareHandler } from 'hono';
import { Failures } from '../auth/failures.ts';
import type { TenantTokens } from '../auth/tenant-tokens.ts';
import type { AppEnv } from './app-env.ts';
import { remoteAddress } from './remote-address.ts';
import { ServiceError } from './service-error.ts';

/** Lets nobody in without a tenant's token, and says whose the request is. */
export function authenticate(tokens: TenantTokens): MiddlewareHandler<AppEnv> {
  const failures = new Failures();
  return async (c, next) => {
    const address = remoteAddress(c) ?? '';
    const token = bearerToken(c.req.header('authorization'));
    const tenant = token === undefined ? undefined : tokens.find(token);
    // Who knows a token is let in, whoever else tries from the same address.
    if (tenant === undefined) {
      const waitMs = failures.waitMs(address);
      if (waitMs > 0) {
        c.header('Retry-After', String(Math.ceil(waitMs / 1_000)));
        throw new ServiceError('too-many-failures', 'Too many wrong tokens came from your address. Wait a minute.');
      }
      if (token !== undefined) failures.add(address);
      c.header('WWW-Authenticate', 'Bearer realm="agent-service"');
      throw new ServiceError('unauthorized', 'Send "Authorization: Bearer TOKEN" with the token of a tenant.');
    }
    c.set('tenant', tenant);
    await next();
  };
}

export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/iu.exec(header ?? '')?.[1];
}
