import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { accessLog } from './http/access-log.ts';
import { type App, newApp } from './http/app-env.ts';
import { authenticate } from './http/authenticate.ts';
import { hostCheck } from './http/host-check.ts';
import { limitBody, MOST_JSON_BYTES } from './http/limit-body.ts';
import { isLoopback } from './http/loopback.ts';
import { answerTo, ServiceError } from './http/service-error.ts';
import { chatRoutes } from './routes/chat.ts';
import { consoleRoutes } from './routes/console.ts';
import { eventsRoutes } from './routes/events.ts';
import { filesRoutes } from './routes/files.ts';
import { mcpsRoutes } from './routes/mcps.ts';
import { offloadedRoutes } from './routes/offloaded.ts';
import { sessionsRoutes } from './routes/sessions.ts';
import { skillsRoutes } from './routes/skills.ts';
import { statusRoutes } from './routes/status.ts';
import { workspacesRoutes } from './routes/workspaces.ts';
import type { Service } from './service.ts';
import { VERSION } from './version.ts';

const RETRY_AFTER_SECONDS = '5';
/** A client that went away before it was answered; nobody reads it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Everything that the service answers over HTTP. */
export async function createApp(service: Service): Promise<App> {
  const { options, tokens, logger } = service;
  const app = newApp();

  app.use(accessLog(service));
  app.use(secureHeaders());
  if (isLoopback(options.host)) app.use(hostCheck());
  if (options.corsOrigins.length > 0) {
    const exposeHeaders = ['ETag', 'Retry-After', 'X-Request-Id', 'x-vercel-ai-ui-message-stream'];
    app.use('/v1/*', cors({ origin: [...options.corsOrigins], exposeHeaders }));
  }
  app.use('/v1/*', authenticate(tokens.tokens));
  const limitJson = limitBody(MOST_JSON_BYTES);
  // Those that take more have limits of their own.
  app.use('/v1/workspaces', limitJson);
  app.use('/v1/workspaces/:workspaceId/mcps/*', limitJson);

  const groups = [
    chatRoutes,
    sessionsRoutes,
    offloadedRoutes,
    workspacesRoutes,
    mcpsRoutes,
    skillsRoutes,
    filesRoutes,
    eventsRoutes,
    statusRoutes,
  ];
  for (const routes of groups) app.route('/', routes(service));

  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Agent service', version: VERSION, description: 'Agents with workspaces, for many tenants.' },
  });
  app.route('/', await consoleRoutes());

  app.notFound(() => {
    throw new ServiceError('route-not-found', 'There is no such route. GET /openapi.json lists them.');
  });
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    if (c.req.raw.signal.aborted) return c.body(null, CLIENT_CLOSED_REQUEST as 400);
    const { status, body } = answerTo(error, requestId);
    if (status >= 500) logger.error('A request failed.', { requestId, error });
    if ((status === 503 || status === 429) && c.res.headers.get('retry-after') === null) {
      c.header('Retry-After', RETRY_AFTER_SECONDS);
    }
    return c.json(body, status);
  });
  return app;
}
