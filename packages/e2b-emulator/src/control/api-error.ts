/** An answer of the control plane that is an error: `{"code","message"}`, which the SDK goes by. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export function sandboxNotFound(sandboxId: string): ApiError {
  return new ApiError(404, `Sandbox "${sandboxId}" not found`);
}
