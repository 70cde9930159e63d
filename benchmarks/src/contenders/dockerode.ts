import { buffer, text } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { docker } from '../docker/docker-bench.ts';
import { hardenedContainer, WORKDIR } from '../docker/hardened-container.ts';
import type { Contender } from './contender.ts';

/** In the header of a tar archive's entry, in octal digits. */
const SIZE = { start: 124, end: 136 };

function sizeOfEntry(archive: Buffer): number {
  return Number.parseInt(archive.toString('latin1', SIZE.start, SIZE.end), 8);
}

/** What the engine's own API offers, through its client: a command is an exec, and a file an archive. */
export async function openDockerode(root: string): Promise<Contender> {
  const container = await docker.createContainer(await hardenedContainer(root, ['sleep', 'infinity']));
  await container.start();
  return {
    name: 'dockerode',
    async execTrue() {
      const exec = await container.exec({ Cmd: ['true'], AttachStdout: true, AttachStderr: true });
      await text(await exec.start({}));
      const { ExitCode, Running } = await exec.inspect();
      // The engine notes an exit a moment after it has closed the stream.
      if (!Running && ExitCode !== 0) throw new Error(`true exited with ${ExitCode}.`);
    },
    async readFile(path) {
      return sizeOfEntry(await buffer(await container.getArchive({ path: `${WORKDIR}/${path}` })));
    },
    async writeFile(path, content) {
      const archive = pack();
      archive.entry({ name: path }, content);
      archive.finalize();
      await container.putArchive(await buffer(archive), { path: WORKDIR });
    },
    async [Symbol.asyncDispose]() {
      await container.remove({ force: true });
    },
  };
}
