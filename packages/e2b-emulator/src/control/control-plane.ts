import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeError } from '../describe-error.ts';
import { SandboxStateError } from '../sandboxes/sandbox-error.ts';
import type { Faults } from '../faults/faults.ts';
import { createFaultRoutes, FAULTS_PATH } from '../faults/fault-routes.ts';
import { ApiError, sandboxNotFound } from './api-error.ts';
import { NOT_EMULATED_ROUTES } from './not-emulated.ts';
import { readBody } from './read-body.ts';
import { type ApiAnswer, matchRoute, type Route, type RouteMatch } from './route.ts';
import { createSandboxRoutes, type SandboxRoutesOptions } from './sandbox-routes.ts';

export interface ControlPlaneOptions extends SandboxRoutesOptions {
  readonly faults: Faults;
  readonly log: (message: string) => void;
}

/** Answers what goes to E2B's API. */
export class ControlPlane {
  readonly #routes: readonly Route[];
  readonly #log: (message: string) => void;

  constructor(options: ControlPlaneOptions) {
    this.#routes = [...createFaultRoutes(options.faults), ...createSandboxRoutes(options), ...NOT_EMULATED_ROUTES];
    this.#log = options.log;
  }

  match(method: string, path: string): RouteMatch | undefined {
    return matchRoute(this.#routes, method, path);
  }

  /**
   * Answers one.
   *
   * @param visit.dropAfterBytes an injected fault: the connection is cut after so much of the answer's body
   */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    { url, dropAfterBytes }: { readonly url: URL; readonly dropAfterBytes: number | undefined },
  ): Promise<void> {
    const answer = await this.#answer(request, url);
    // What is left of a body that nobody wants would keep the connection from its next request.
    request.resume();
    const text = answer.body === undefined ? undefined : JSON.stringify(answer.body);
    response.writeHead(answer.status, {
      ...answer.headers,
      ...(text !== undefined && {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      }),
    });
    if (dropAfterBytes === undefined) {
      response.end(text);
      return;
    }
    response.flushHeaders();
    response.write(Buffer.from(text ?? '').subarray(0, dropAfterBytes));
    // What was let through is to arrive first.
    setImmediate(() => response.destroy());
  }

  async #answer(request: IncomingMessage, url: URL): Promise<ApiAnswer> {
    try {
      if (!url.pathname.startsWith(FAULTS_PATH)) requireKey(request);
      const match = this.match(request.method ?? '', url.pathname);
      if (match === undefined) throw new ApiError(404, `no matching operation was found for ${url.pathname}`);
      return await match.route.handle({
        params: match.params,
        query: url.searchParams,
        body: (schema) => readBody(request, schema),
      });
    } catch (error) {
      return this.#toAnswer(error, `${request.method ?? ''} ${url.pathname}`);
    }
  }

  #toAnswer(error: unknown, operation: string): ApiAnswer {
    if (error instanceof SandboxStateError) {
      if (error.cause !== undefined) this.#log(`${operation}: ${describeError(error.cause)}`);
      return this.#toAnswer(toApiError(error), operation);
    }
    if (error instanceof ApiError) {
      return { status: error.status, body: { code: error.status, message: error.message }, headers: error.headers };
    }
    this.#log(`${operation} failed: ${describeError(error)}`);
    const message = error instanceof Error ? error.message : String(error);
    return { status: 500, body: { code: 500, message } };
  }
}

function requireKey({ headers }: IncomingMessage): void {
  if (headers['x-api-key'] || headers.authorization) return;
  throw new ApiError(401, 'Missing API key: send any as X-API-KEY');
}

function toApiError({ problem, sandboxId, message }: SandboxStateError): ApiError {
  switch (problem) {
    case 'gone':
      return sandboxNotFound(sandboxId);
    case 'unpausable':
      return new ApiError(503, message);
    case 'paused':
    case 'running':
    case 'busy':
      return new ApiError(409, message);
  }
}
