import { createHash, timingSafeEqual } from 'node:crypto';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface RequestChecksOptions {
  readonly token: string | undefined;
  /** Names, without a port, that a request may be for. `undefined` lets every name pass. */
  readonly allowedHosts: readonly string[] | undefined;
  readonly allowedOrigins: readonly string[];
}

export function isLoopback(hostname: string): boolean {
  return LOOPBACK_NAMES.has(hostname === '::1' ? '[::1]' : hostname.toLowerCase());
}

/**
 * Whether a request may be served: for a name that we go by (another one is how a web page reaches
 * us by DNS rebinding), not from a stranger's web page, and with the token.
 */
export class RequestChecks {
  readonly #options: RequestChecksOptions;
  readonly #token: Buffer | undefined;

  constructor(options: RequestChecksOptions) {
    this.#options = options;
    this.#token = options.token === undefined ? undefined : digest(options.token);
  }

  /** What a request from a stranger's page or for a stranger's name is refused with. */
  strangerRefusal(request: Request): Response | undefined {
    const host = request.headers.get('host');
    if (!this.#isAllowedHost(host)) return refuse(403, `This server does not go by the name ${host ?? ''}.`);
    const origin = request.headers.get('origin');
    if (origin !== null && !this.#isAllowedOrigin(origin)) return refuse(403, `Pages of ${origin} are not allowed.`);
    return undefined;
  }

  /** What a request without the token is refused with. */
  tokenRefusal(request: Request): Response | undefined {
    if (this.#hasToken(request)) return undefined;
    return refuse(401, 'Send the token of this server: Authorization: Bearer …', { 'www-authenticate': 'Bearer' });
  }

  #isAllowedHost(host: string | null): boolean {
    const { allowedHosts } = this.#options;
    if (allowedHosts === undefined) return true;
    const name = hostnameOf(`http://${host ?? ''}`);
    return (
      name !== undefined &&
      allowedHosts.some((allowed) => allowed === name || (isLoopback(allowed) && isLoopback(name)))
    );
  }

  #isAllowedOrigin(origin: string): boolean {
    const { allowedOrigins } = this.#options;
    const name = hostnameOf(origin);
    return allowedOrigins.includes(origin) || (name !== undefined && isLoopback(name));
  }

  #hasToken(request: Request): boolean {
    if (this.#token === undefined) return true;
    const given = /^Bearer +(?<token>\S+)$/iu.exec(request.headers.get('authorization') ?? '')?.groups?.['token'];
    return given !== undefined && timingSafeEqual(digest(given), this.#token);
  }
}

/** Answers in the form of the protocol, whose clients look for nothing else. */
export function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
  return Response.json(body, { status, headers });
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Of one length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
