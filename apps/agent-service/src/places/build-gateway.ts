import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/build-programs.ts', import.meta.url));

/**
 * In a checkout, packages run from their sources: what goes into a sandbox has to be built from them. In an image
 * it was, and what would build it is not there.
 */
export async function buildGateway(): Promise<void> {
  if (!existsSync(SCRIPT)) return;
  const child = spawn(process.execPath, [SCRIPT, 'gateway'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  if (exitCode !== 0) throw new Error(`${SCRIPT} failed; what it printed is above.`);
}
