import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { pipeline, Transform, type Duplex } from 'node:stream';
import { forwardedHeaders } from './forwarded-headers.ts';

export interface ForwardRequestOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** To the port. */
  readonly connection: Duplex;
  /** In place of the caller's `Host`. */
  readonly host: string | undefined;
  /** Called with a way to cut both sides, and called off by what it returns. */
  readonly track: (cut: () => void) => () => void;
  /** An injected fault: both sides are cut after so many bytes of the answer's body. */
  readonly dropAfterBytes: number | undefined;
}

/** Passes a request on and its answer back, both as they come. */
export function forwardRequest(options: ForwardRequestOptions): Promise<void> {
  const { request, response, connection, host, track, dropAfterBytes } = options;
  return new Promise((resolve) => {
    const cut = (): void => {
      connection.destroy();
      response.destroy();
    };
    const untrack = track(cut);
    response.once('close', () => {
      untrack();
      connection.destroy();
      resolve();
    });
    const onward = httpRequest({
      createConnection: () => connection,
      ...(request.method !== undefined && { method: request.method }),
      ...(request.url !== undefined && { path: request.url }),
      headers: [...forwardedHeaders(request.rawHeaders, host), 'Connection', 'close'],
      setHost: false,
    });
    onward.on('error', cut);
    onward.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, forwardedHeaders(answer.rawHeaders));
      response.flushHeaders();
      const done = (error: Error | null | undefined): void => {
        if (error) cut();
      };
      if (dropAfterBytes === undefined) pipeline(answer, response, done);
      else pipeline(answer, new Dropping(dropAfterBytes, cut), response, done);
    });
    request.on('error', cut);
    request.pipe(onward);
    // Whoever answers may not wait for the body. Without one, its end sends the headers.
    if (hasBody(request)) onward.flushHeaders();
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Lets so many bytes through, then calls for the end. */
class Dropping extends Transform {
  #remaining: number;
  readonly #drop: () => void;

  constructor(bytes: number, drop: () => void) {
    super();
    this.#remaining = bytes;
    this.#drop = drop;
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    const passed = chunk.subarray(0, this.#remaining);
    this.#remaining -= passed.length;
    this.push(passed);
    // What was let through is to arrive first.
    if (this.#remaining <= 0) setImmediate(() => setImmediate(this.#drop));
    else done();
  }
}
