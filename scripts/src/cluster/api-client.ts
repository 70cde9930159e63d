import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { certificatesIn } from './certificates.ts';
import { LOOPBACK } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';

const REQUEST_TIMEOUT_MS = 5000;

export interface ApiRequest {
  readonly port: number;
  readonly path: string;
  /** Sent with POST; without one it is a GET. */
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

/** Asks the API server, or the kubelet, as the cluster's administrator. */
export async function callApi(folder: ClusterFolder, { port, path, body }: ApiRequest): Promise<ApiAnswer> {
  const { authority, certificate, key } = certificatesIn(folder.certificatesDirectory);
  const [ca, cert, keyPem] = await Promise.all([authority, certificate, key].map((file) => readFile(file)));
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
  const call = request(
    {
      host: LOOPBACK,
      port,
      path,
      ca,
      cert,
      key: keyPem,
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    },
    (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    },
  );
  call.once('error', reject);
  call.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
