import { readFile } from 'node:fs/promises';
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { docker, missingDocker } from './docker/docker-bench.ts';

const PACKAGE = join(import.meta.dirname, '..');
const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });
const versionSchema = z.object({ version: z.string() });

async function readJson(...path: readonly string[]): Promise<unknown> {
  return JSON.parse(await readFile(join(PACKAGE, ...path), 'utf8'));
}

/** How busy this machine is: over the last one, five and fifteen minutes. */
export function describeLoad(): string {
  return `load ${loadavg()
    .map((load) => load.toFixed(2))
    .join(' ')}`;
}

/** What was measured with what: the machine, and the versions that are installed. */
export async function describeEnvironment(): Promise<string> {
  const { dependencies } = manifestSchema.parse(await readJson('package.json'));
  const others = Object.entries(dependencies).filter(([, range]) => !range.startsWith('workspace:'));
  const versions = await Promise.all(
    others.map(async ([name]) => {
      const { version } = versionSchema.parse(await readJson('node_modules', name, 'package.json'));
      return `${name} ${version}`;
    }),
  );
  const engine =
    (await missingDocker()) === undefined ? `Docker Engine ${(await docker.version()).Version}` : 'no Docker';
  const [cpu] = cpus();
  return [
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} × ${cpu?.model.trim()}, ${describeLoad()}`,
    `node ${process.version}, ${process.platform} ${release()}, ${engine}`,
    versions.join(', '),
  ].join('\n');
}
