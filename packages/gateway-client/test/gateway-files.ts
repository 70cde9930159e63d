import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { afterAll } from 'vitest';
import type { ProcessSandboxOptions } from './engine/process-workspace.ts';

type Bundle = ProcessSandboxOptions['bundle'];

const server = fileURLToPath(new URL('../../gateway-server/', import.meta.url));
const ripgrepOf = (cpu: string): string => join(server, `node_modules/@vscode/ripgrep-linux-${cpu}/bin/rg`);

/** The gateway's program, built from the sources as they are, apart from what others build meanwhile. */
async function buildGateway(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'aw-bundle-'));
  afterAll(() => rm(directory, { recursive: true, force: true }));
  await build({
    config: false,
    cwd: server,
    entry: { gateway: 'src/main.ts' },
    outDir: directory,
    format: 'cjs',
    dts: false,
    platform: 'node',
    fixedExtension: false,
    define: { GATEWAY_VERSION: '"0.0.0-test"' },
    deps: { alwaysBundle: [/./], onlyBundle: false, neverBundle: ['@vscode/ripgrep'] },
    outputOptions: { codeSplitting: false },
    logLevel: 'error',
  });
  return join(directory, 'gateway.cjs');
}

/** A program that goes into a sandbox in the place of the gateway. */
export async function bundleOf(path: string): Promise<Bundle> {
  const hash = createHash('sha256').update(await readFile(path));
  return { path, hash: hash.digest('hex'), ripgrep: { x64: ripgrepOf('x64'), arm64: ripgrepOf('arm64') } };
}

/** The gateway. */
export const bundle: Bundle = await bundleOf(await buildGateway());
