import { errorFrom, isAbort, unreachable } from './api-error.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | undefined;
  /** What is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: Blob | FormData | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiClientOptions {
  readonly token: string;
  /** Called when the service does not accept the token any more. */
  readonly onUnauthorized: () => void;
}

/** The service behind this page, with a tenant's token. Paths are relative, as `apiPath` makes them. */
export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  /**
   * An answer of status 2xx.
   *
   * @throws ApiError for any other, or where there is none
   */
  async fetch(
    path: string,
    { method = 'GET', query = {}, json, body, headers, signal }: ApiRequest = {},
  ): Promise<Response> {
    const url = new URL(path, document.baseURI);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const response = await this.#reach(url, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${this.#options.token}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
      cache: 'no-store',
      signal: signal ?? null,
    });
    if (response.ok) return response;
    if (response.status === 401) this.#options.onUnauthorized();
    throw await errorFrom(response);
  }

  /** The JSON of an answer; `undefined` for one of status 204. */
  async json<T>(path: string, request?: ApiRequest): Promise<T> {
    const response = await this.fetch(path, request);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  async #reach(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (error) {
      throw isAbort(error) ? error : unreachable(error);
    }
  }
}

/** A path of the API: what is put in is one segment each, whatever it is made of. */
export function apiPath(texts: TemplateStringsArray, ...segments: readonly string[]): string {
  return `v1/${String.raw({ raw: texts }, ...segments.map(encodeURIComponent))}`;
}
