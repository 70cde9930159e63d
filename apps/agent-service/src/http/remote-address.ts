import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';

/** Who is at the other end of the connection; `undefined` where there is none, such as for a request of a test. */
export function remoteAddress(c: Context): string | undefined {
  // What the server hands over with a request; an app that is called directly has none.
  if ((c.env as { readonly incoming?: unknown } | undefined)?.incoming === undefined) return undefined;
  return getConnInfo(c).remote.address;
}
