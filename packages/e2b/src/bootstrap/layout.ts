import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { GatewayInstallation } from '@agent-workspace/gateway-client';
import { gatewayBundle } from '@agent-workspace/gateway-server';

/** Where our things are in a sandbox. */
export const SANDBOX_LAYOUT = {
  workdir: '/home/user/workspace',
  /** What is put into a sandbox; its user's alone. */
  own: '/home/user/.agent-workspace',
  /** What `buildTemplate()` puts into a template. */
  baked: '/opt/agent-workspace',
} as const;

const { own, baked } = SANDBOX_LAYOUT;

export const OWN_VENV: string = posix.join(own, 'venv');
export const OWN_NPM: string = posix.join(own, 'npm');
export const BAKED_VENV: string = posix.join(baked, 'venv');
export const BAKED_NPM: string = posix.join(baked, 'npm');
export const BAKED_NODE: string = posix.join(baked, 'node');

/** What agents and the gateway have on their PATH around the template's own. A directory that is not there does no harm. */
export const PATH_AROUND: { readonly before: readonly string[]; readonly after: readonly string[] } = {
  before: [OWN_VENV, OWN_NPM, BAKED_VENV, BAKED_NPM].map((directory) => posix.join(directory, 'bin')),
  after: [posix.join(BAKED_NODE, 'bin')],
};

export const GATEWAY_PATHS: Pick<GatewayInstallation, 'adminSocket' | 'pidFile' | 'logFile'> = {
  adminSocket: posix.join(own, 'admin.sock'),
  pidFile: posix.join(own, 'gateway.pid'),
  logFile: posix.join(own, 'gateway.log'),
};

/** A file that the gateway consists of. */
export interface GatewayFile {
  /** In a `gateway` directory, own or baked. It tells versions apart. */
  readonly name: string;
  /** On this host. */
  readonly source: string;
  readonly mode: number;
}

export type Architecture = 'x64' | 'arm64';

export interface GatewayFiles {
  readonly program: GatewayFile;
  readonly ripgrep: Readonly<Record<Architecture, GatewayFile>>;
}

const HASH_LENGTH = 16;

let loaded: Promise<GatewayFiles> | undefined;

/** Read once: they come with this package. */
export async function gatewayFiles(): Promise<GatewayFiles> {
  loaded ??= load();
  try {
    return await loaded;
  } catch (error) {
    loaded = undefined;
    throw error;
  }
}

async function load(): Promise<GatewayFiles> {
  const { path, hash, ripgrep } = await gatewayBundle();
  const [x64, arm64] = await Promise.all([ripgrepFile(ripgrep.x64), ripgrepFile(ripgrep.arm64)]);
  const program = { name: `gateway-${hash.slice(0, HASH_LENGTH)}.cjs`, source: path, mode: 0o644 };
  return { program, ripgrep: { x64, arm64 } };
}

async function ripgrepFile(source: string): Promise<GatewayFile> {
  const hash = createHash('sha256')
    .update(await readFile(source))
    .digest('hex');
  return { name: `rg-${hash.slice(0, HASH_LENGTH)}`, source, mode: 0o755 };
}
