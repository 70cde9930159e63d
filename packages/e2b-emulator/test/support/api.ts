import type { E2BEmulator } from '../../src/index.ts';

/** An answer of the control plane. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What the tests look at in a sandbox's JSON. */
export interface SandboxJson {
  readonly sandboxID: string;
  readonly templateID: string;
  readonly envdAccessToken?: string;
  readonly trafficAccessToken?: string;
  readonly domain: string;
  readonly state: string;
  readonly startedAt: string;
  readonly endAt: string;
}

/** Calls the control plane as the SDK does, without it. */
export class Api {
  readonly #emulator: E2BEmulator;

  constructor(emulator: E2BEmulator) {
    this.#emulator = emulator;
  }

  async call(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const response = await fetch(`${this.#emulator.url}${path}`, {
      method,
      headers: { 'x-api-key': 'any', 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Creates a sandbox by the newer route. */
  async create(body: object = {}): Promise<SandboxJson> {
    const answer = await this.call('POST', '/v2/sandboxes', { templateID: 'base', ...body });
    if (answer.status !== 201) throw new Error(`create: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as SandboxJson;
  }

  async get(sandboxId: string): Promise<SandboxJson> {
    return (await this.call('GET', `/sandboxes/${sandboxId}`)).body as SandboxJson;
  }
}

/** Seconds from the start to the end of its time. */
export function lifeSeconds({ startedAt, endAt }: SandboxJson): number {
  return (Date.parse(endAt) - Date.parse(startedAt)) / 1000;
}
