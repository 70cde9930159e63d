import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gatewayBundle } from '@agent-workspace/gateway-server';

/** A file that the gateway consists of. */
export interface GatewayFile {
  readonly content: Buffer;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/** A processor, as `uname -m` has it. */
export type Machine = 'x86_64' | 'aarch64';

export interface GatewayFiles {
  readonly program: GatewayFile;
  readonly ripgrep: Readonly<Record<Machine, GatewayFile>>;
}

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
  const { path, ripgrep } = await gatewayBundle();
  const [program, x64, arm64] = await Promise.all([
    readGatewayFile(path),
    readGatewayFile(ripgrep.x64),
    readGatewayFile(ripgrep.arm64),
  ]);
  return { program, ripgrep: { x86_64: x64, aarch64: arm64 } };
}

async function readGatewayFile(path: string): Promise<GatewayFile> {
  const content = await readFile(path);
  return { content, hash: createHash('sha256').update(content).digest('hex') };
}
