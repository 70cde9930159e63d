import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { readRest } from '../read-rest.ts';
import type { EnvdUser } from '../users/user.ts';
import { answerClientStream, answerStream, refuseStream, STREAM_TYPE } from './answer-stream.ts';
import { answerUnary, refuseUnary, UNARY_TYPE } from './answer-unary.ts';
import { CallDeadline, readTimeoutMs } from './call-deadline.ts';
import { ConnectError } from './connect-error.ts';
import type { CallContext, Service } from './service.ts';

export interface ConnectHandlerOptions {
  readonly services: readonly Service[];
  /** Who calls. */
  readonly authenticate: (headers: IncomingHttpHeaders) => Promise<EnvdUser>;
}

/** Resolves to `false` if the path names no procedure. */
export type ConnectHandler = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>;

function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Answers with an error in the way that the request expects, whatever it was for. */
async function refuseCall(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
  await readRest(request);
  if (mediaType(request) === STREAM_TYPE) await refuseStream(response, error);
  else refuseUnary(response, error);
}

function own<T>(procedures: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(procedures, name) ? procedures[name] : undefined;
}

/** @throws ConnectError `invalid_argument` */
function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers['connect-protocol-version'];
  if (version === undefined || version === '1') return;
  throw new ConnectError('invalid_argument', `connect-protocol-version must be "1": got "${String(version)}"`);
}

/**
 * Serves procedures by version 1 of the Connect protocol, in its JSON codec.
 *
 * @see https://connectrpc.com/docs/protocol
 */
export function createConnectHandler({ services, authenticate }: ConnectHandlerOptions): ConnectHandler {
  const byName = new Map(services.map((service) => [service.name, service]));

  return async (request, response, path) => {
    const [, serviceName = '', method = '', ...rest] = path.split('/');
    const service = byName.get(serviceName);
    if (service === undefined || rest.length > 0) return false;
    const unary = own(service.unary, method);
    const stream = own(service.streams, method);
    const clientStream = own(service.clientStreams ?? {}, method);
    if (unary === undefined && stream === undefined && clientStream === undefined) return false;
    if (request.method !== 'POST') {
      await readRest(request);
      response.writeHead(405, { allow: 'POST' }).end();
      return true;
    }
    const expected = unary === undefined ? STREAM_TYPE : UNARY_TYPE;
    if (mediaType(request) !== expected) {
      await readRest(request);
      response.writeHead(415, { 'accept-post': expected }).end();
      return true;
    }
    let deadline: CallDeadline;
    let context: CallContext;
    try {
      checkVersion(request.headers);
      deadline = new CallDeadline(response, readTimeoutMs(request.headers));
      const { headers } = request;
      const { signal, timeoutMs } = deadline;
      context = { user: await authenticate(headers), headers, signal, timeoutMs };
    } catch (error) {
      await refuseCall(request, response, error);
      return true;
    }
    const call = { request, response, deadline };
    if (unary !== undefined) await answerUnary({ ...call, run: (message) => unary(message, context) });
    if (stream !== undefined) await answerStream({ ...call, run: (message) => stream(message, context) });
    if (clientStream !== undefined) {
      await answerClientStream({ ...call, run: (messages) => clientStream(messages, context) });
    }
    return true;
  };
}
