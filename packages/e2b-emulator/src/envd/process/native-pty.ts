import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The part of node-pty that is not JavaScript. */
export interface NativePty {
  fork(
    file: string,
    args: readonly string[],
    /** `NAME=value` */
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    /** -1: as envd. */
    uid: number,
    gid: number,
    isUtf8: boolean,
    /** Of macOS alone. */
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number };
  resize(fd: number, cols: number, rows: number): void;
}

let loaded: NativePty | undefined;

/** Beside the bundle; in the package for this platform, where envd runs from its sources. */
function findNativePty(): string {
  const platform = `${process.platform}-${process.arch}`;
  const beside = fileURLToPath(new URL(`pty/${platform}/pty.node`, import.meta.url));
  if (existsSync(beside)) return beside;
  const nodePty = createRequire(import.meta.url).resolve('@lydell/node-pty');
  return createRequire(nodePty).resolve(`@lydell/node-pty-${platform}/pty.node`);
}

/** Loads it the first time. Throws where there is none for this platform. */
export function loadNativePty(): NativePty {
  if (loaded !== undefined) return loaded;
  const path = findNativePty();
  const addon = { exports: {} };
  process.dlopen(addon, path);
  loaded = addon.exports as NativePty;
  return loaded;
}
