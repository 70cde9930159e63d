import { createRoute, z } from '@hono/zod-openapi';
import type { EventLog } from '../events/event-log.ts';
import type { ServiceEvent } from '../events/service-event.ts';
import { type App, newApp } from '../http/app-env.ts';
import { failures, idSchema, secured } from '../http/schemas.ts';
import { lastEventId, type SseEvent, sseResponse } from '../http/sse.ts';
import type { Service } from '../service.ts';

const filterSchema = z.object({ workspaceId: idSchema.optional(), sessionId: idSchema.optional() });
type Filter = z.infer<typeof filterSchema>;

const eventsRoute = createRoute({
  method: 'get',
  path: '/v1/events',
  summary: "What happens to the tenant's workspaces and chats, as server-sent events",
  security: secured,
  request: { query: filterSchema, headers: z.object({ 'last-event-id': z.string().optional() }) },
  responses: { 200: { description: 'text/event-stream, until either side ends it' }, ...failures },
});

/** Events of a tenant, live. */
export function eventsRoutes(service: Service): App {
  const app = newApp();
  app.openapi(eventsRoute, (c) => {
    const log = service.events.of(c.get('tenant'));
    const header = c.req.header('last-event-id');
    // Who has seen nothing yet gets what comes from now on.
    const after = header === undefined ? log.lastId : lastEventId(header);
    const filter = c.req.valid('query');
    return sseResponse({ events: (signal) => follow(log, after, filter, signal), request: c.req.raw });
  });
  return app;
}

async function* follow(
  log: EventLog<ServiceEvent>,
  after: number,
  filter: Filter,
  signal: AbortSignal,
): AsyncGenerator<SseEvent, void> {
  for await (const read of log.follow(after, signal)) {
    if ('missed' in read) {
      yield { event: 'missed', data: JSON.stringify({ type: 'missed', count: read.missed }) };
    } else if (isWanted(read.item, filter)) {
      yield { id: read.id, event: read.item.type, data: JSON.stringify(read.item) };
    }
  }
}

function isWanted(event: ServiceEvent, { workspaceId, sessionId }: Filter): boolean {
  if (workspaceId !== undefined && event.workspaceId !== workspaceId) return false;
  return sessionId === undefined || event.sessionId === sessionId;
}
