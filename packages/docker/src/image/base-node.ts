import { LABELS } from '../container/labels.ts';
import type { DockerEngine } from '../engine/docker-engine.ts';

/** The oldest Node that the gateway runs on. */
const OLDEST_NODE = 20;

/** Whether an image has a Node that the gateway runs on, found out by asking it. */
export async function hasUsableNode(
  engine: DockerEngine,
  image: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const id = await engine.containers.create(
    undefined,
    {
      Image: image,
      Entrypoint: ['/bin/sh', '-c'],
      Cmd: ['node --version'],
      User: '0:0',
      Labels: { [LABELS.role]: 'probe' },
      HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'] },
    },
    { signal },
  );
  try {
    await engine.containers.start(id, { signal });
    const exitCode = await engine.containers.wait(id, { signal });
    if (exitCode !== 0) return false;
    const version = await engine.containers.logTail(id, 1, { signal });
    return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0) >= OLDEST_NODE;
  } finally {
    await engine.containers.remove(id);
  }
}
