/** What the service refused or failed at, in its own words; `network` where it was not reached. */
export class ApiError extends Error {
  readonly code: string;
  /** 0 where there was no answer. */
  readonly status: number;

  constructor({ code, message, status, cause }: ApiErrorFields) {
    super(message, { cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
  }
}

interface ApiErrorFields {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly cause?: unknown;
}

/** The error that an answer tells of. A proxy's answer is not in the service's form. */
export async function errorFrom(response: Response): Promise<ApiError> {
  const { status } = response;
  try {
    const { error } = (await response.json()) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    return new ApiError({ code: error.code, message: error.message, status });
  } catch (cause) {
    const message = `The service answered with status ${status} and no reason.`;
    return new ApiError({ code: `http-${status}`, message, status, cause });
  }
}

export function unreachable(cause: unknown): ApiError {
  const message = 'The service cannot be reached. Is it running, and is the network up?';
  return new ApiError({ code: 'network', message, status: 0, cause });
}

/** Any failure as one that can be shown. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError({ code: 'console-failed', message, status: 0, cause: error });
}

/** Whether a request was given up on purpose, so that there is nothing to tell. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
