import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What an engine copies into its sandbox. */
export interface GatewayBundle {
  /** The program, for Node 20 and later: one file that needs nothing beside it. */
  readonly path: string;
  /** SHA-256 of the program, in hex, as its `GET /health` tells it. */
  readonly hash: string;
  /** Static `rg` binaries for Linux, by the machine's architecture. */
  readonly ripgrep: { readonly x64: string; readonly arm64: string };
}

/** The directory of built files: this one, when this file is built, too. */
function builtFiles(): URL {
  const isSource = extname(fileURLToPath(import.meta.url)) === '.ts';
  return new URL(isSource ? '../../dist/' : './', import.meta.url);
}

/** Where the gateway is on this machine. Rejects with `ENOENT` in a checkout that has not been built. */
export async function gatewayBundle(): Promise<GatewayBundle> {
  const locate = (name: string): string => fileURLToPath(new URL(name, builtFiles()));
  const path = locate('gateway.cjs');
  return {
    path,
    hash: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
    ripgrep: { x64: locate('bin/linux-x64/rg'), arm64: locate('bin/linux-arm64/rg') },
  };
}
