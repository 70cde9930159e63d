import { E2B, type Sandbox as SdkSandbox, type SandboxInfo, SandboxNotFoundError } from 'e2b';
import { DEFAULT_REQUEST_TIMEOUT_MS, type E2BConnectionOptions } from '../e2b-options.ts';
import { retrying, type RetryOptions } from './retrying.ts';
import { translateError } from './translate-error.ts';

/** What runs in a sandbox may keep it from being frozen at one moment, and not at the next. */
const PAUSE_FAILURES = 3;

export interface CreateRequest {
  readonly template: string;
  /** Milliseconds until it is paused. */
  readonly timeoutMs: number;
  readonly metadata: Record<string, string>;
  readonly allowInternetAccess?: boolean | undefined;
}

/** Options without those that are not given, for which the SDK then looks into the environment. */
export function connectionOptions(options: E2BConnectionOptions): Record<string, string> {
  const { apiKey, domain, apiUrl, sandboxUrl } = options;
  const given = Object.entries({ apiKey, domain, apiUrl, sandboxUrl });
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * E2B's control plane, by its SDK. Errors are ours. What E2B is too busy for is asked again, and what
 * it says of a missing sandbox is told as `undefined` or `false`.
 */
export class ControlPlane {
  readonly #client: E2B;
  readonly #requestTimeoutMs: number;

  constructor(options: E2BConnectionOptions) {
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    this.#client = new E2B({ ...connectionOptions(options), requestTimeoutMs: this.#requestTimeoutMs });
  }

  /** Every sandbox with this metadata, running and paused, from every page. @throws `e2b-request-failed` */
  async list(metadata: Record<string, string>, signal?: AbortSignal): Promise<readonly SandboxInfo[]> {
    const pages = this.#client.Sandbox.list({ query: { metadata, state: ['running', 'paused'] } });
    const found: SandboxInfo[] = [];
    while (pages.hasNext) {
      const page = await this.#ask('list the sandboxes', { isIdempotent: true, signal }, () =>
        pages.nextItems(signal && { signal }),
      );
      found.push(...page);
    }
    return found;
  }

  /** Not to be aborted: what is given up in the middle may yet be made. @throws `e2b-request-failed` */
  create({ template, timeoutMs, metadata, allowInternetAccess }: CreateRequest): Promise<SdkSandbox> {
    return this.#ask(`make a sandbox of the template ${template}`, { isIdempotent: false }, () =>
      this.#client.Sandbox.create(template, {
        timeoutMs,
        metadata,
        ...(allowInternetAccess !== undefined && { allowInternetAccess }),
        network: { allowPublicTraffic: false },
        lifecycle: { onTimeout: 'pause', autoResume: true },
      }),
    );
  }

  /** Resumes it if it is paused, and has it live for that long at least. `undefined` if it answers "not found". */
  connect(sandboxId: string, timeoutMs: number): Promise<SdkSandbox | undefined> {
    return this.#ask(`connect to the sandbox ${sandboxId}`, { isIdempotent: true }, () =>
      unlessNotFound(this.#client.Sandbox.connect(sandboxId, { timeoutMs })),
    );
  }

  /** `undefined` if there is no such sandbox; the one answer that this may be believed of. */
  info(sandboxId: string): Promise<SandboxInfo | undefined> {
    return this.#ask(`look at the sandbox ${sandboxId}`, { isIdempotent: true }, () =>
      unlessNotFound(this.#client.Sandbox.getInfo(sandboxId)),
    );
  }

  /** Keeps memory and processes. Paused already is fine; `false` if it answers "not found". */
  async pause(sandboxId: string): Promise<boolean> {
    const options = { isIdempotent: true, failures: PAUSE_FAILURES };
    const paused = await this.#ask(`pause the sandbox ${sandboxId}`, options, () =>
      unlessNotFound(this.#client.Sandbox.pause(sandboxId)),
    );
    return paused !== undefined;
  }

  /** `false` if there was none. */
  kill(sandboxId: string): Promise<boolean> {
    return this.#ask(`kill the sandbox ${sandboxId}`, { isIdempotent: true }, () =>
      this.#client.Sandbox.kill(sandboxId),
    );
  }

  async #ask<T>(operation: string, options: Omit<RetryOptions, 'withinMs'>, ask: () => Promise<T>): Promise<T> {
    try {
      return await retrying({ ...options, withinMs: this.#requestTimeoutMs }, ask);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw translateError(error, operation);
    }
  }
}

async function unlessNotFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof SandboxNotFoundError) return undefined;
    throw error;
  }
}
