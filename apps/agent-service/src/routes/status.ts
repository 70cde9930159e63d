import { createRoute, z } from '@hono/zod-openapi';
import { isSameSecret } from '../auth/tenant-tokens.ts';
import { type App, type AppContext, newApp } from '../http/app-env.ts';
import { bearerToken } from '../http/authenticate.ts';
import { isLoopback } from '../http/loopback.ts';
import { remoteAddress } from '../http/remote-address.ts';
import { failures, json, secured } from '../http/schemas.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Service } from '../service.ts';
import { VERSION } from '../version.ts';

const healthSchema = z.object({ status: z.string() });

const statusRoute = createRoute({
  method: 'get',
  path: '/v1/status',
  summary: 'What the service is, and what a tenant may do with it',
  security: secured,
  responses: {
    200: json(
      'As it is now',
      z.object({
        tenant: z.string(),
        version: z.string(),
        backend: z.string(),
        isolation: z.string(),
        model: z.string(),
        ttlMs: z.number(),
        permissionMode: z.string(),
        features: z.object({ bash: z.boolean(), mcps: z.boolean() }),
        chats: z.object({ running: z.number() }),
        uptimeMs: z.number(),
        isDraining: z.boolean(),
      }),
    ),
    ...failures,
  },
});

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the process lives',
  responses: { 200: json('It does', healthSchema), ...failures },
});

const readyRoute = createRoute({
  method: 'get',
  path: '/readyz',
  summary: 'Whether the service takes work',
  responses: { 200: json('It does', healthSchema), 503: json('It does not', healthSchema), ...failures },
});

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Numbers for Prometheus',
  responses: { 200: { description: "In Prometheus' text format" }, ...failures },
});

/** What the service says of itself: to tenants, and to those who run it. */
export function statusRoutes(service: Service): App {
  const app = newApp();
  const { options, turns, workspaces } = service;

  app.openapi(statusRoute, (c) => {
    const tenant = c.get('tenant');
    const { backend, isolation, ttlMs, permissionMode } = options;
    return c.json(
      {
        tenant,
        version: VERSION,
        backend,
        isolation,
        model: service.models.name,
        ttlMs,
        permissionMode,
        features: { bash: !service.isHostSafe, mcps: !service.isHostSafe },
        chats: { running: turns.countOf(tenant) },
        uptimeMs: Date.now() - service.startedAt,
        isDraining: turns.isDraining,
      },
      200,
    );
  });

  app.openapi(healthRoute, (c) => c.json({ status: 'ok' }, 200));

  app.openapi(readyRoute, async (c) => {
    if (turns.isDraining) return c.json({ status: 'draining' }, 503);
    try {
      await service.checkStorage();
      return c.json({ status: 'ok' }, 200);
    } catch (error) {
      service.logger.warn('The storage does not answer.', { error });
      return c.json({ status: 'storage-away' }, 503);
    }
  });

  app.openapi(metricsRoute, (c) => {
    refuseStrangers(c, options.metricsToken);
    const gauges = { turns: turns.size, openWorkspaces: workspaces.openCount, isDraining: turns.isDraining };
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
    return c.body(service.metrics.render(gauges), 200, headers);
  });

  return app;
}

/** Where a token is set, it alone lets in: a proxy on this machine makes strangers look like neighbours. */
function refuseStrangers(c: AppContext, token: string | undefined): void {
  const given = bearerToken(c.req.header('authorization'));
  const isAllowed =
    token === undefined ? isLoopback(remoteAddress(c) ?? '') : given !== undefined && isSameSecret(given, token);
  if (isAllowed) return;
  throw new ServiceError(
    'metrics-not-allowed',
    'Metrics are for loopback, or for who has AGENT_SERVICE_METRICS_TOKEN.',
  );
}
