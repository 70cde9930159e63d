import type { GatewayRoute, Handler } from './gateway-routes.ts';

/** A route that a request is for, with what the parts of its path say. */
export interface RouteMatch {
  readonly handle: Handler;
  readonly parts: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly method: string;
  readonly path: RegExp;
  readonly handle: Handler;
}

const NO_PARTS: Readonly<Record<string, string>> = {};

/** Finds a route by method and path. */
export class RouteTable {
  readonly #fixed = new Map<string, RouteMatch>();
  readonly #patterns: readonly Pattern[];

  constructor(routes: readonly GatewayRoute[]) {
    const patterns: Pattern[] = [];
    for (const { method, route, handle } of routes) {
      if (!route.includes('{')) this.#fixed.set(`${method} ${route}`, { handle, parts: NO_PARTS });
      else patterns.push({ method, path: new RegExp(`^${route.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`), handle });
    }
    this.#patterns = patterns;
  }

  find(method: string, path: string): RouteMatch | undefined {
    const fixed = this.#fixed.get(`${method} ${path}`);
    if (fixed !== undefined) return fixed;
    for (const pattern of this.#patterns) {
      const groups = pattern.method === method ? pattern.path.exec(path)?.groups : undefined;
      if (groups !== undefined) return { handle: pattern.handle, parts: decode(groups) };
    }
    return undefined;
  }
}

function decode(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodePart(text)]));
}

/** What is not well encoded is taken as it is, and names nothing. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
