import type { z } from 'zod';

/** What a control-plane route is asked. */
export interface ApiRequest {
  /** The parts of the path that the pattern names, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /**
   * Reads and checks the body.
   *
   * @throws {ApiError} 400
   */
  readonly body: <T extends z.ZodType>(schema: T) => Promise<z.output<T>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Route {
  /** Names it for faults. */
  readonly name: string;
  readonly method: string;
  /** Parts that begin with a colon are parameters. */
  readonly path: string;
  readonly handle: (request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer;
}

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** @returns the first route of that method and path */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const parts = path.split('/');
  for (const route of routes) {
    if (route.method !== method && route.method !== '*') continue;
    const params = matchPath(route.path.split('/'), parts);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function matchPath(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  const isPrefix = pattern.at(-1) === '*';
  if (isPrefix ? parts.length < pattern.length - 1 : parts.length !== pattern.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (expected === '*') break;
    if (expected.startsWith(':') && part !== '') params[expected.slice(1)] = decode(part);
    else if (expected !== part) return undefined;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
