import type { IncomingMessage, ServerResponse } from 'node:http';

const METHODS = 'HEAD, GET, POST, PUT, PATCH, DELETE';
const EXPOSED = 'Content-Encoding, Connect-Content-Encoding, Location, Cache-Control, X-Content-Type-Options';
const MAX_AGE_SECONDS = '7200';

/**
 * Lets web pages of any origin use envd, as the real one does.
 *
 * @returns whether the request was a preflight and has its answer.
 */
export function allowCrossOrigin(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers.origin === undefined) return false;
  response.setHeader('access-control-allow-origin', '*');
  const method = request.headers['access-control-request-method'];
  if (request.method !== 'OPTIONS' || method === undefined) {
    response.setHeader('access-control-expose-headers', EXPOSED);
    return false;
  }
  response.writeHead(204, {
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': MAX_AGE_SECONDS,
  });
  response.end();
  return true;
}
