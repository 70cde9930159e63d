import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ClusterConnection } from '@agent-workspace/kubernetes';

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: { readonly reason?: string; readonly message?: string } & Readonly<Record<string, unknown>>;
}

/** Asks an API server as it stands: what a client leaves out of a document that it does not know gets there, too. */
export async function ask(cluster: ClusterConnection, question: Question): Promise<Answer> {
  const { method, path, query = {}, body, contentType = 'application/json' } = question;
  const url = new URL(path, cluster.server);
  url.search = new URLSearchParams(query).toString();
  const options = await cluster.connectionOptions();
  const sent = request(url, { ...options, method });
  sent.setHeader('content-type', contentType);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: JSON.parse(await text(response)) as Answer['body'] };
}
