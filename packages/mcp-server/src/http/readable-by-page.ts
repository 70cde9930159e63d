/** What a client sends and reads, beside what every page may. */
const SENT = 'authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id';
const READ = 'mcp-session-id, www-authenticate';

/** The same answer, which the page that asked may read. Whether it may ask has been decided before. */
export function readableByPage(request: Request, response: Response): Response {
  const origin = request.headers.get('origin');
  if (origin === null) return response;
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-allow-methods', 'GET, POST, DELETE');
  headers.set('access-control-allow-headers', SENT);
  headers.set('access-control-expose-headers', READ);
  headers.append('vary', 'origin');
  return new Response(response.body, { status: response.status, headers });
}
