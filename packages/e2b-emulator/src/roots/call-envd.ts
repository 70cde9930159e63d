import { type IncomingHttpHeaders, request } from 'node:http';
import type { SandboxRoot } from './sandbox-root.ts';

export const ENVD_PORT = 49_983;

export interface EnvdAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface EnvdCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | undefined;
  readonly accessToken?: string | undefined;
}

/** One request to the envd of a sandbox, past the proxy. */
export async function callEnvd(root: SandboxRoot, { method, path, body, accessToken }: EnvdCall): Promise<EnvdAnswer> {
  const connection = await root.connect(ENVD_PORT);
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const call = request(
      {
        createConnection: () => connection,
        method,
        path,
        headers: {
          host: `localhost:${ENVD_PORT}`,
          connection: 'close',
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...(accessToken !== undefined && { 'x-access-token': accessToken }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          connection.destroy();
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: Buffer.concat(chunks).toString('utf8') });
        });
      },
    );
    call.once('error', reject);
    call.end(text);
  });
}
