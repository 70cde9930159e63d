import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { EnvdState } from './envd-state.ts';
import { writeRunDirectory } from './run-directory.ts';
import { sameToken } from './same-token.ts';

/** Of the envd that this one is like. The SDK asks by it which features there are. */
export const ENVD_VERSION = '0.6.13';

const initRequest = z.object({
  accessToken: z.string().nullish(),
  envVars: z.record(z.string(), z.string()).nullish(),
  defaultUser: z.string().nullish(),
  defaultWorkdir: z.string().nullish(),
  timestamp: z.iso.datetime({ offset: true }).nullish(),
});

type InitRequest = z.output<typeof initRequest>;

function parse(body: string): InitRequest | undefined {
  try {
    return initRequest.parse(body === '' ? {} : JSON.parse(body));
  } catch {
    return undefined;
  }
}

function apply(state: EnvdState, { accessToken, envVars, defaultUser, defaultWorkdir }: InitRequest): void {
  state.accessToken = accessToken ?? undefined;
  state.envs = { ...state.envs, ...envVars };
  if (defaultUser) state.defaultUser = defaultUser;
  if (defaultWorkdir) state.defaultWorkdir = defaultWorkdir;
}

export interface InitHandlerOptions {
  readonly state: EnvdState;
  readonly runDirectory: string | undefined;
}

/** Answers `POST /init`, by which the control plane tells a sandbox what it is. */
export class InitHandler {
  readonly #state: EnvdState;
  readonly #runDirectory: string | undefined;
  /** Of the last request with a time: an older one, late on its way, changes nothing. */
  #lastMs = -Infinity;

  constructor({ state, runDirectory }: InitHandlerOptions) {
    this.#state = state;
    this.#runDirectory = runDirectory;
  }

  /**
   * The first one sets the token, and any later one needs the same. The machine's clock, which the real
   * envd sets to `timestamp`, is left alone: it is not the sandbox's own.
   */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const init = parse(await text(request));
    if (init === undefined) {
      response.writeHead(400).end();
      return;
    }
    const sentMs = init.timestamp == null ? Infinity : Date.parse(init.timestamp);
    if (sentMs > this.#lastMs) {
      const { accessToken } = this.#state;
      if (accessToken !== undefined && !sameToken(init.accessToken, accessToken)) {
        const isReset = init.accessToken == null;
        response.writeHead(401).end(isReset ? 'access token reset not authorized' : 'access token validation failed');
        return;
      }
      if (Number.isFinite(sentMs)) this.#lastMs = sentMs;
      apply(this.#state, init);
      if (this.#runDirectory !== undefined) await writeRunDirectory(this.#runDirectory, this.#state.envs);
    }
    response.writeHead(204, { 'cache-control': 'no-store', 'x-envd-version': ENVD_VERSION }).end();
  }
}
