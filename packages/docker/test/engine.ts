import { requireEngine } from '@agent-workspace/testing';
import { DockerEngine } from '../src/engine/docker-engine.ts';

/** Whether the tests here can run: with an engine, and the images that they stand on. */
export const hasDocker: boolean = await requireEngine('docker', async () => {
  const engine = await DockerEngine.connect();
  for (const image of ['python:3.12-slim', 'node:24-slim']) {
    if ((await engine.images.inspect(image)) === undefined) {
      throw new Error(`the image ${image} is missing; pull it, or make it with scripts/docker/make-base-images.sh`);
    }
  }
});
