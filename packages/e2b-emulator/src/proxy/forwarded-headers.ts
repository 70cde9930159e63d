/** Of one connection, not of the request on it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'expect']);

/**
 * The headers to pass on, as `name, value, name, value…`, with their names as the real proxy writes them:
 * `Host`, also where it came as `host`. Chunks stay chunks.
 */
export function forwardedHeaders(rawHeaders: readonly string[], host?: string): string[] {
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower)) continue;
    headers.push(canonicalName(lower), lower === 'host' && host !== undefined ? host : value);
  }
  return headers;
}

function canonicalName(lower: string): string {
  return lower.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** As for a request, with what asks for another protocol. */
export function upgradeHeaders(rawHeaders: readonly string[], host?: string): string[] {
  return [...forwardedHeaders(rawHeaders, host), 'Connection', 'Upgrade'];
}
