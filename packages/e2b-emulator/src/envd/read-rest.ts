import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

/** A client that never ends its request is answered while it still sends. */
const DEADLINE_MS = 5_000;

/**
 * Reads what is left of a request, for an answer that comes early: to close a connection with something
 * unread in it is to reset it, and the answer may be lost on its way.
 */
export async function readRest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  // It may have been on its way to a file that cannot be written.
  request.unpipe().resume();
  try {
    await once(request, 'end', { signal: AbortSignal.timeout(DEADLINE_MS) });
  } catch {
    // The client has gone, or goes on: it gets the answer if it can.
  }
}
