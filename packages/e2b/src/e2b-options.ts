import { posix } from 'node:path';
import { E2BOptionsInvalidError } from '@agent-workspace/core';
import { METADATA_KEYS } from './control/identity.ts';

/** How E2B is reached. */
export interface E2BConnectionOptions {
  /** Default: `E2B_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Of an E2B that is not the hosted one. Default: `E2B_DOMAIN`, else `e2b.app`. */
  readonly domain?: string | undefined;
  /** Base of the control plane. Default: `E2B_API_URL`, else `https://api.{domain}`. */
  readonly apiUrl?: string | undefined;
  /** One address for every sandbox, which then go by headers. Default: `E2B_SANDBOX_URL`, else each has a name of its own. */
  readonly sandboxUrl?: string | undefined;
  /** Milliseconds for a request to E2B, waiting out a 429 included. No clock of a sandbox. Default 60,000. */
  readonly requestTimeoutMs?: number | undefined;
}

/** What the sandbox of a workspace is like. */
export interface E2BSandboxOptions extends E2BConnectionOptions {
  /** Name or id. A sandbox that is found keeps the one it was made from. Default `base`. */
  readonly template?: string | undefined;
  /**
   * Milliseconds that the sandbox runs on when nobody uses it, or when its host is gone; then it is
   * paused. While it is in use it is renewed. Default 300,000; at most what the plan allows.
   */
  readonly timeoutMs?: number | undefined;
  /** The workspace's directory in the sandbox. Default `/home/user/workspace`. */
  readonly workdir?: string | undefined;
  /** Of the sandbox, beside ours. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Python packages, in a virtual environment that is first on the agent's PATH. */
  readonly extraPip?: readonly string[] | undefined;
  /** npm packages, whose commands are on the agent's PATH. */
  readonly extraNpm?: readonly string[] | undefined;
  /** `false` keeps the sandbox from the internet. Default `true`. */
  readonly allowInternetAccess?: boolean | undefined;
  /** The sandbox's port that the gateway listens on, closed to the public. Default 48765. */
  readonly gatewayPort?: number | undefined;
  /** Fail with `workspace-lost` where the sandbox is not found, instead of making one. Default `false`. */
  readonly mustExist?: boolean | undefined;
  /** Whose the sandbox is. Default `standalone`, which no manager reaps. */
  readonly managerId?: string | undefined;
}

export const DEFAULT_TEMPLATE = 'base';
export const DEFAULT_TIMEOUT_MS = 300_000;
export const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;
/** Seldom taken by what agents start. */
export const DEFAULT_GATEWAY_PORT = 48_765;
export const STANDALONE = 'standalone';

/** E2B counts in seconds. */
const MIN_TIMEOUT_MS = 1_000;
/** envd's own. */
const ENVD_PORT = 49_983;

/** @throws `e2b-options-invalid` */
export function checkSandboxOptions(options: E2BSandboxOptions): void {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS } = options;
  const {
    gatewayPort = DEFAULT_GATEWAY_PORT,
    metadata = {},
    template = DEFAULT_TEMPLATE,
    sandboxUrl,
    workdir,
  } = options;
  if (!Number.isFinite(timeoutMs) || timeoutMs < MIN_TIMEOUT_MS) {
    refuse(
      'timeoutMs',
      `it is the sandbox's idle life, ${MIN_TIMEOUT_MS} ms at least; there is no value for "for ever".`,
    );
  }
  if (!Number.isFinite(requestTimeoutMs) || requestTimeoutMs <= 0) {
    refuse('requestTimeoutMs', 'it is the time for one request, in milliseconds above 0.');
  }
  if (!Number.isInteger(gatewayPort) || gatewayPort < 1 || gatewayPort > 65_535 || gatewayPort === ENVD_PORT) {
    refuse('gatewayPort', `give a number between 1 and 65535 that is not ${ENVD_PORT}, which is E2B's own.`);
  }
  if (workdir !== undefined && !(posix.isAbsolute(workdir) && posix.normalize(workdir) === workdir)) {
    refuse('workdir', 'give an absolute path of the sandbox, without "." and "..".');
  }
  if (template === '') refuse('template', 'it is empty; leave it out for the default.');
  if (sandboxUrl !== undefined && !URL.canParse(sandboxUrl)) refuse('sandboxUrl', 'it is no URL.');
  const taken = Object.values(METADATA_KEYS).find((key) => key in metadata);
  if (taken !== undefined) refuse('metadata', `the key ${taken} is how the sandbox is found again; take another one.`);
}

function refuse(option: string, reason: string): never {
  throw new E2BOptionsInvalidError({ option, reason });
}
