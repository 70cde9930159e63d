import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '@agent-workspace/core';
import { operationOf } from '../http/gateway-request.ts';
import { type Guard, isReply } from '../http/guard.ts';
import { failureReply, type Reply } from '../http/reply.ts';
import type { RouteTable } from '../http/route-table.ts';
import { NodeRequest } from './node-request.ts';
import { sendReply } from './send-reply.ts';

/** For the rest of a body that was refused. */
const UNREAD_MS = 2_000;

export interface RequestListenerOptions {
  readonly guard: Guard;
  readonly routes: RouteTable;
  /** Answers what no route is for, and what is no proper request. Made at first use. */
  readonly app: () => Promise<RequestListener>;
  readonly logger: Logger;
}

/** A client that is still sending reads its answer only if that is taken from it; one that goes on and on is cut off. */
function leaveUnread(message: IncomingMessage): void {
  // The connection goes with it, and by then may carry the next request.
  const timer = setTimeout(() => {
    if (!message.complete) message.destroy();
  }, UNREAD_MS);
  timer.unref();
  message.once('close', () => clearTimeout(timer));
  message.resume();
}

/**
 * The short way from Node's server to a route: the app would do the same, and takes longer to load than
 * all of the rest, and longer for a small request than most of them.
 */
export function createRequestListener({ guard, routes, app, logger }: RequestListenerOptions): RequestListener {
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = message;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const match = routes.find(method, path);
    if (match === undefined || headers.host === undefined || !guard.knows(headers.host)) {
      const listener = await app();
      listener(message, response);
      return;
    }
    let reply: Reply;
    try {
      const { origin, authorization } = headers;
      const admitted = guard.admit({ method, path, target: headers.host, origin, authorization });
      const search = mark < 0 ? '' : url.slice(mark + 1);
      reply = isReply(admitted)
        ? admitted
        : await match.handle(new NodeRequest({ message, response, host: admitted, path, search, parts: match.parts }));
    } catch (error) {
      reply = failureReply(error, operationOf({ method, path }), logger);
    }
    await sendReply(response, reply);
    // All of it may have come without having been read to its end.
    if (!message.complete) leaveUnread(message);
  };
  return (message, response) => {
    answer(message, response).catch((error: unknown) => {
      logger.error('A request could not be answered', { error });
      response.destroy();
    });
  };
}
