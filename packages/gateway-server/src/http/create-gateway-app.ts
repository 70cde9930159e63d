import {
  GatewayRequestInvalidError,
  GatewayResourceNotFoundError,
  type Logger,
  WorkspaceError,
} from '@agent-workspace/core';
import { toProblem } from '@agent-workspace/gateway-protocol';
import { Hono } from 'hono';
import type { AttachedHosts } from '../attached/attached-hosts.ts';
import { addAttachmentRoutes } from '../routes/attachments.ts';
import { addExecRoute } from '../routes/exec.ts';
import { addFileRoutes } from '../routes/files.ts';
import { addMcpRoutes } from '../routes/mcps.ts';
import { addOperationRoutes } from '../routes/operations.ts';
import { addProcessRoutes } from '../routes/processes.ts';
import { addTreeRoutes } from '../routes/trees.ts';
import { type GatewayApp, type GatewayContext, type GatewayEnv, operationOf } from './gateway-context.ts';
import { guard } from './guard.ts';
import { fromProblem, problemResponse } from './problem.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

export interface GatewayAppOptions {
  readonly hosts: AttachedHosts;
  /** Made anew by every start. */
  readonly instance: string;
  /** SHA-256 of the gateway's file, in hex. */
  readonly bundleHash: string;
  /** Names that a request may be for, beside those of this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly logger: Logger;
}

/** The methods that there are for a path. */
function methodsOf(app: GatewayApp, path: string): readonly string[] {
  // What guards every path is no route.
  return METHODS.filter((method) => app.router.match(method, path)[0].some(([[, { path: route }]]) => route !== '/*'));
}

function notFound(app: GatewayApp, context: GatewayContext): Response {
  const operation = operationOf(context);
  const methods = methodsOf(app, context.req.path);
  if (methods.length === 0)
    return problemResponse(new GatewayResourceNotFoundError({ resource: `route ${operation}` }));
  const error = new GatewayRequestInvalidError({ operation, reason: `the route takes ${methods.join(', ')} alone` });
  return fromProblem({ ...toProblem(error), status: 405 }, { allow: methods.join(', ') });
}

/** The HTTP API over a backend. It needs no socket: `app.request(…)` answers. */
export function createGatewayApp(options: GatewayAppOptions): GatewayApp {
  const { hosts, allowedHosts = [], logger } = options;
  const app: GatewayApp = new Hono<GatewayEnv>();
  app.use(guard({ hosts, allowedHosts }));
  addOperationRoutes(app);
  addFileRoutes(app);
  addTreeRoutes(app);
  addExecRoute(app);
  addProcessRoutes(app);
  addMcpRoutes(app);
  addAttachmentRoutes(app, options);
  app.notFound((context) => notFound(app, context));
  app.onError((error, context) => {
    if (!WorkspaceError.isInstance(error)) logger.error('A request failed', { request: operationOf(context), error });
    return problemResponse(error);
  });
  return app;
}
