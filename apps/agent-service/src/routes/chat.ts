import { createRoute, z } from '@hono/zod-openapi';
import { UI_MESSAGE_STREAM_HEADERS } from 'ai';
import { chatBodySchema, toChatInput } from '../chat/chat-input.ts';
import { startTurn } from '../chat/run-turn.ts';
import type { Turn } from '../chat/turn.ts';
import { type App, type AppContext, newApp } from '../http/app-env.ts';
import { limitBody, MOST_CHAT_BYTES } from '../http/limit-body.ts';
import { failures, json, secured, sessionParams } from '../http/schemas.ts';
import { sessionNotFound } from '../http/service-error.ts';
import { lastEventId, type SseEvent, sseResponse } from '../http/sse.ts';
import type { Service } from '../service.ts';

const CHAT = '/v1/agents/{agentId}/sessions/{sessionId}/chat';

const chatRoute = createRoute({
  method: 'post',
  path: CHAT,
  summary: 'Start a turn, and stream it',
  security: secured,
  middleware: limitBody(MOST_CHAT_BYTES),
  request: {
    params: sessionParams,
    body: { required: true, content: { 'application/json': { schema: chatBodySchema } } },
  },
  responses: { 200: { description: "The AI SDK's UI message stream" }, ...failures },
});

const streamRoute = createRoute({
  method: 'get',
  path: `${CHAT}/stream`,
  summary: 'The turn under way, from its beginning or from an event on',
  security: secured,
  request: { params: sessionParams, headers: z.object({ 'last-event-id': z.string().optional() }) },
  responses: {
    200: { description: "The AI SDK's UI message stream" },
    204: { description: 'No turn is under way' },
    ...failures,
  },
});

const stopRoute = createRoute({
  method: 'post',
  path: `${CHAT}/stop`,
  summary: 'Stop the turn under way',
  security: secured,
  request: { params: sessionParams },
  responses: { 200: json('It is over, and stored', z.object({ stopped: z.boolean() })), ...failures },
});

/** Turns of chats: begun, followed, stopped. */
export function chatRoutes(service: Service): App {
  const app = newApp();

  app.openapi(chatRoute, async (c) => {
    const body = c.req.valid('json');
    const key = { tenant: c.get('tenant'), ...c.req.valid('param') };
    const turn = await startTurn(service, { key, input: toChatInput(body), permissionMode: body.permissionMode });
    return turnResponse(c, turn, 0);
  });

  // Nothing where there is no session, too: a chat that is about to begin looks for its turn as others do.
  const resume = (c: AppContext): Response => {
    const key = { tenant: c.get('tenant'), ...sessionParams.parse(c.req.param()) };
    const turn = service.turns.find(key);
    if (turn !== undefined) return turnResponse(c, turn, lastEventId(c.req.header('last-event-id')));
    return c.body(null, 204);
  };
  app.openapi(streamRoute, resume);
  // Where `useChat` looks by itself.
  app.get('/v1/agents/:agentId/sessions/:sessionId/chat/:chatId/stream', resume);

  app.openapi(stopRoute, async (c) => {
    const key = { tenant: c.get('tenant'), ...c.req.valid('param') };
    const stopped = await service.turns.stop(key, 'The user stopped the turn.');
    if (!stopped && (await service.store.findSession(key)) === undefined) throw sessionNotFound();
    return c.json({ stopped }, 200);
  });

  return app;
}

function turnResponse(c: AppContext, turn: Turn, after: number): Response {
  return sseResponse({
    events: (signal) => follow(turn, after, signal),
    request: c.req.raw,
    headers: UI_MESSAGE_STREAM_HEADERS,
  });
}

async function* follow({ log }: Turn, after: number, signal: AbortSignal): AsyncGenerator<SseEvent, void> {
  for await (const read of log.follow(after, signal)) {
    if ('item' in read) yield { id: read.id, data: JSON.stringify(read.item) };
  }
  if (!signal.aborted) yield { data: '[DONE]' };
}
