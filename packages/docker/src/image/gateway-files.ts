import { readFile } from 'node:fs/promises';
import { DockerOptionsInvalidError } from '@agent-workspace/core';
import { gatewayBundle } from '@agent-workspace/gateway-server';
import type { ImageFile } from './image-recipe.ts';
import { GATEWAY_FILE, RIPGREP_FILE } from './layout.ts';

const EXECUTABLE = 0o755;

const loaded = new Map<string, Promise<readonly ImageFile[]>>();

/**
 * What the gateway needs in an image, for a processor. Read once: it comes with this package.
 *
 * @throws `docker-options-invalid` for a processor that there is no `rg` for
 */
export async function gatewayFiles(architecture: string): Promise<readonly ImageFile[]> {
  const files = loaded.get(architecture) ?? read(architecture);
  loaded.set(architecture, files);
  try {
    return await files;
  } catch (error) {
    loaded.delete(architecture);
    throw error;
  }
}

async function read(architecture: string): Promise<readonly ImageFile[]> {
  const { path, ripgrep } = await gatewayBundle();
  if (architecture !== 'x64' && architecture !== 'arm64') {
    const reason = `its containers run on ${architecture}, and the gateway on x64 and arm64 alone.`;
    throw new DockerOptionsInvalidError({ option: 'dockerHost', reason });
  }
  return [
    { name: GATEWAY_FILE, content: await readFile(path) },
    { name: RIPGREP_FILE, content: await readFile(ripgrep[architecture]), mode: EXECUTABLE },
  ];
}
