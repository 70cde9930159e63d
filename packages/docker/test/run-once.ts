import { text } from 'node:stream/consumers';
import type { DockerEngine } from '../src/engine/docker-engine.ts';

/** Runs a shell script in a fresh container of an image, and removes it. */
export async function runOnce(
  engine: DockerEngine,
  image: string,
  script: string,
  { network = 'none' }: { readonly network?: string } = {},
): Promise<{ readonly stdout: string; readonly exitCode: number | undefined }> {
  const id = await engine.containers.create(undefined, {
    Image: image,
    HostConfig: { Init: true, NetworkMode: network },
  });
  try {
    await engine.containers.start(id);
    const stream = await engine.containers.exec(id, ['sh', '-c', script]);
    stream.end();
    const stdout = await text(stream);
    return { stdout, exitCode: await engine.containers.execExitCode(stream.execId) };
  } finally {
    await engine.containers.remove(id);
  }
}
