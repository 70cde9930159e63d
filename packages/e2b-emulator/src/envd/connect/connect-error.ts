/** Each code and the HTTP status of a unary answer that carries it. */
const STATUS = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
} as const;

/** @see https://connectrpc.com/docs/protocol/#error-codes */
export type ConnectCode = keyof typeof STATUS;

/** What a procedure throws to answer with an error. Anything else that it throws is answered as `unknown`. */
export class ConnectError extends Error {
  readonly code: ConnectCode;

  constructor(code: ConnectCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectError';
    this.code = code;
  }

  /** Of a unary answer. A stream is answered with 200, whatever comes of it. */
  get status(): number {
    return STATUS[this.code];
  }

  toJSON(): { readonly code: ConnectCode; readonly message: string } {
    return { code: this.code, message: this.message };
  }
}

/** The error as it is answered. */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  return new ConnectError('unknown', error instanceof Error ? error.message : String(error), { cause: error });
}
