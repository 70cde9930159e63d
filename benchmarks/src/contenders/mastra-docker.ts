import { DockerSandbox } from '@mastra/docker';
import { LABELS, workspaceImage } from '../docker/docker-bench.ts';
import type { Contender } from './contender.ts';

/** Mastra's sandbox in Docker: a container that lives, and an exec for each command. */
export async function makeMastraDocker(): Promise<DockerSandbox> {
  return new DockerSandbox({
    image: await workspaceImage(),
    labels: { ...LABELS },
    pidsLimit: 1024,
    capDrop: ['ALL'],
    securityOpt: ['no-new-privileges'],
  });
}

/** It has no way to a file but a command. Its files are in the container. */
export async function openMastraDocker(): Promise<Contender> {
  const sandbox = await makeMastraDocker();
  await sandbox.start();
  const run = async (command: string): Promise<string> => {
    const result = await sandbox.executeCommand?.(command);
    if (result?.exitCode !== 0) throw new Error(`${command} in @mastra/docker: ${result?.stderr}`);
    return result.stdout;
  };
  return {
    name: '@mastra/docker',
    async execTrue() {
      await run('true');
    },
    async readFile(path) {
      return (await run(`cat /workspace/${path}`)).length;
    },
    async writeFile(path, content) {
      await run(`printf %s '${content}' > /workspace/${path}`);
    },
    async [Symbol.asyncDispose]() {
      await sandbox.destroy();
    },
  };
}
