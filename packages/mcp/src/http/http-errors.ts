const EXCERPT_LENGTH = 500;

/** Failures before anything was sent, so that the call had no effect. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** A server answered with a status that says no. */
export class HttpStatusError extends Error {
  readonly status: number;
  /** The first part of the body. */
  readonly excerpt: string;

  constructor(response: Response, body: string, url: URL) {
    const excerpt = body.trim().slice(0, EXCERPT_LENGTH);
    // The query may hold a key.
    super(
      `HTTP ${response.status} ${response.statusText} from ${url.origin}${url.pathname}${excerpt && `: ${excerpt}`}`,
    );
    this.name = 'HttpStatusError';
    this.status = response.status;
    this.excerpt = excerpt;
  }

  /**
   * The server does not know the session: 404 by the specification, 400 with words on it in many
   * servers made from the SDK's examples.
   *
   * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management
   */
  get isSessionUnknown(): boolean {
    return this.status === 404 || (this.status === 400 && /session/i.test(this.excerpt));
  }
}

/** What a failed fetch was about: `fetch` itself says little, its causes say more. */
function rootCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  if (error instanceof Error && error.cause !== undefined) return rootCause(error.cause);
  return error;
}

export function describeFailure(error: unknown): string {
  const cause = rootCause(error);
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.slice(0, EXCERPT_LENGTH);
}

export function wasNeverSent(error: unknown): boolean {
  const { code } = (rootCause(error) ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && NEVER_SENT.has(code);
}
