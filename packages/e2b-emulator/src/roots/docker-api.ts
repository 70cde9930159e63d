import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import { json, text } from 'node:stream/consumers';
import type { Duplex } from 'node:stream';

/** Spoken by every engine since 2020. */
const API_VERSION = 'v1.41';
const DEFAULT_SOCKET = '/var/run/docker.sock';

const SOCKET_SCHEME = 'unix://';

/** Whether what `DOCKER_HOST` says leads to a unix socket, as it does where it says nothing. */
export function isSocketAddress(dockerHost: string | undefined): boolean {
  return !dockerHost || dockerHost.startsWith(SOCKET_SCHEME);
}

/** The engine answered with an error. */
export class DockerApiError extends Error {
  override readonly name = 'DockerApiError';
  readonly status: number;

  constructor(operation: string, status: number, message: string) {
    super(`The Docker engine refused ${operation}: ${message} (${status})`);
    this.status = status;
  }
}

/** A Docker engine, by its API. @see https://docs.docker.com/reference/api/engine/version/v1.41/ */
export class DockerApi {
  readonly #where: RequestOptions;

  constructor(dockerHost: string | undefined = process.env['DOCKER_HOST']) {
    this.#where = {
      socketPath: dockerHost?.startsWith(SOCKET_SCHEME) ? dockerHost.slice(SOCKET_SCHEME.length) : DEFAULT_SOCKET,
    };
  }

  /** One call. @returns what it answered, read as JSON where there is any */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.stream(method, path, body === undefined ? undefined : JSON.stringify(body));
    const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
    return isJson ? json(answer) : text(answer);
  }

  /** As {@link call}, with the answer as it comes. */
  async stream(
    method: string,
    path: string,
    body?: string | Buffer,
    contentType: string = 'application/json',
  ): Promise<IncomingMessage> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request({
        ...this.#where,
        method,
        path: `/${API_VERSION}${path}`,
        headers: body === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(body) },
      });
      call.once('error', reject).once('response', resolve).end(body);
    });
    const { statusCode: status = 0 } = answer;
    if (status >= 400) throw new DockerApiError(`${method} ${path}`, status, await readMessage(answer));
    return answer;
  }

  /** A connection to the streams of a container or a command. */
  hijack(path: string, body?: object): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const call = request({
        ...this.#where,
        method: 'POST',
        path: `/${API_VERSION}${path}`,
        headers: { connection: 'Upgrade', upgrade: 'tcp', 'content-type': 'application/json' },
      });
      call.once('error', reject);
      call.once('upgrade', (_answer, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      call.once('response', (answer) => {
        readMessage(answer).then(
          (message) => reject(new DockerApiError(`POST ${path}`, answer.statusCode ?? 0, message)),
          reject,
        );
      });
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

async function readMessage(answer: IncomingMessage): Promise<string> {
  const said = await text(answer);
  try {
    return (JSON.parse(said) as { readonly message?: string }).message ?? said;
  } catch {
    return said;
  }
}
