import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { CallDeadline } from './call-deadline.ts';
import { acceptsGzip, gunzip, gzip, isGzip } from './compression.ts';
import { toConnectError } from './connect-error.ts';
import { parseJson } from './frames.ts';

export const UNARY_TYPE = 'application/json';

async function readRequest(request: IncomingMessage): Promise<unknown> {
  const body = await buffer(request);
  return parseJson(isGzip(request.headers, 'content-encoding') ? await gunzip(body) : body);
}

/** Answers with an error as a unary call has it: by its status. */
export function refuseUnary(response: ServerResponse, error: unknown): void {
  const problem = toConnectError(error);
  response.writeHead(problem.status, { 'content-type': UNARY_TYPE }).end(JSON.stringify(problem));
}

export interface UnaryCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly deadline: CallDeadline;
  readonly run: (message: unknown) => Promise<object>;
}

/** One message in, one message out, each the body of an HTTP message. */
export async function answerUnary({ request, response, deadline, run }: UnaryCall): Promise<void> {
  let answer: Buffer;
  try {
    const message = await readRequest(request);
    answer = Buffer.from(JSON.stringify(await deadline.limit(run(message))));
  } catch (error) {
    refuseUnary(response, error);
    return;
  }
  const isCompressed = acceptsGzip(request.headers['accept-encoding']);
  if (isCompressed) response.setHeader('content-encoding', 'gzip');
  response.setHeader('accept-encoding', 'gzip');
  response.writeHead(200, { 'content-type': UNARY_TYPE }).end(isCompressed ? await gzip(answer) : answer);
}
