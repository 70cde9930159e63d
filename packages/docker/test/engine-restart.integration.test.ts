import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage, DockerWorkspace } from '../src/index.ts';
import { hasDocker } from './engine.ts';
import { SecondEngine, whyNoSecondEngine } from './second-engine.ts';
import { outcomeOf, shell, useDocker } from './use-docker.ts';

const whyNot = hasDocker ? await whyNoSecondEngine() : 'there is no engine';
if (whyNot !== undefined) console.warn(`Skipping the restart of an engine: ${whyNot}.`);

const LOST = /^(gateway-(connection-lost|unreachable|timeout)|docker-unavailable)$/;

describe.skipIf(whyNot !== undefined)('an engine that is restarted', () => {
  const tests = useDocker();
  let second: SecondEngine;

  beforeAll(async () => {
    const image = await buildImage();
    second = await SecondEngine.start();
    const loading = await second.docker.loadImage(await tests.docker.getImage(image).get());
    for await (const _chunk of loading) continue;
  }, 120_000);

  afterAll(() => second[Symbol.asyncDispose]());

  it.each(['socket', 'exec'] as const)(
    'ends a call in flight over %s, and loses nothing',
    { timeout: 180_000 },
    async (transport) => {
      const dockerHost = second.address;
      const workdir = join(tests.directory, transport);
      const options = { dockerHost, workdir, transport, network: 'none', managerId: tests.managerId };
      const workspace = await DockerWorkspace.open(options);
      await workspace.backend.writeFile('/workspace/a', 'kept\n');
      await workspace.addMcp({ name: 'declared', command: 'true' });
      const begun = Promise.withResolvers<void>();
      const running = workspace.backend.exec(['sh', '-c', 'echo begun; sleep 600'], {
        onOutput: () => begun.resolve(),
      });
      const outcome = outcomeOf(running);
      await begun.promise;

      await second.stopDaemon();
      expect((await outcome).code).toMatch(LOST);
      expect((await outcomeOf(shell(workspace, 'cat a'))).code).toMatch(LOST);
      await second.startDaemon();

      await expect.poll(() => shell(workspace, 'cat a').catch(String), { timeout: 60_000 }).toBe('kept\n');
      expect((await workspace.listMcps()).map(({ name }) => name)).toStrictEqual(['declared']);
      await workspace.close();
      await using again = await DockerWorkspace.open(options);
      expect(await shell(again, 'cat a')).toBe('kept\n');
      await again.close();
      expect(await second.docker.listContainers({ all: true })).toStrictEqual([]);
    },
  );
});
