import { join } from 'node:path';
import type { EnvdProcess } from './envd-process.ts';

type Query = Readonly<Record<string, string | number>>;

export const OCTETS = { 'content-type': 'application/octet-stream' } as const;

/** Requests to `/files`. */
export interface FilesClient {
  /** A path in the home. */
  readonly inHome: (...names: string[]) => string;
  readonly urlOf: (query: Query) => string;
  /** Not compressed, unless the headers say otherwise. */
  readonly get: (query: Query, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  readonly post: (query: Query, init: RequestInit) => Promise<Response>;
}

/** @param envd the one to ask, at the time of a request. */
export function filesClient(envd: () => EnvdProcess): FilesClient {
  const urlOf = (query: Query): string => {
    const url = new URL('/files', envd().url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return url.href;
  };
  return {
    inHome: (...names) => join(envd().home, ...names),
    urlOf,
    get: (query, headers = {}) => fetch(urlOf(query), { headers: { 'accept-encoding': 'identity', ...headers } }),
    post: (query, init) => fetch(urlOf(query), { method: 'POST', ...init }),
  };
}

/** A form with files, of which some have no name. */
export function formOf(...files: readonly (readonly [name: string | undefined, content: string])[]): FormData {
  const form = new FormData();
  for (const [name, content] of files) {
    if (name === undefined) form.append('file', content);
    else form.append('file', new Blob([content]), name);
  }
  return form;
}

/** The status and the body of an answer in JSON. */
export async function answerOf(response: Response): Promise<unknown> {
  return [response.status, await response.json()];
}
