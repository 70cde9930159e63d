/** Marks our errors across duplicate copies of this package, where `instanceof` fails. */
const brand = Symbol.for('agent-workspace.error');

export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface WorkspaceErrorInit<Code extends string, Details extends ErrorDetails> {
  readonly code: Code;
  /** What happened, to what, and what to do about it. */
  readonly message: string;
  readonly details: Details;
  /** The same call may succeed later without a change. Default `false`. */
  readonly isRetryable?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * What every failure of a workspace is. `code` is stable and tells which; `details` has the facts
 * that the message names.
 */
export class WorkspaceError<Code extends string = string, Details extends ErrorDetails = ErrorDetails> extends Error {
  readonly code: Code;
  readonly details: Details;
  readonly isRetryable: boolean;

  constructor(init: WorkspaceErrorInit<Code, Details>) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = new.target.name;
    this.code = init.code;
    this.details = init.details;
    this.isRetryable = init.isRetryable ?? false;
    Object.defineProperty(this, brand, { value: true });
  }

  /**
   * Whether `error` is one of ours, from whichever copy of this package.
   * On a subclass: whether it has that subclass's code.
   */
  static isInstance<T>(this: new (...parameters: never[]) => T, error: unknown): error is T {
    if (typeof error !== 'object' || error === null || !(brand in error)) return false;
    const expected = (this as { readonly code?: string | undefined }).code;
    return expected === undefined || (error as { readonly code?: unknown }).code === expected;
  }

  toJSON(): { code: Code; message: string; details: Details; isRetryable: boolean } {
    return { code: this.code, message: this.message, details: this.details, isRetryable: this.isRetryable };
  }
}
