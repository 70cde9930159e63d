import { DockerSandboxClient, type DockerSandboxSession } from '@openai/agents/sandbox/local';
import { LABELS, workspaceImage } from '../docker/docker-bench.ts';
import type { Contender } from './contender.ts';

/** The sandbox in Docker of OpenAI's agents, which runs the `docker` command for each thing that it does. */
export async function startOpenaiDocker(root: string): Promise<DockerSandboxSession> {
  const client = new DockerSandboxClient({
    image: await workspaceImage(),
    labels: { ...LABELS },
    workspaceBaseDir: root,
  });
  return await client.create();
}

export async function openOpenaiDocker(root: string): Promise<Contender> {
  const session = await startOpenaiDocker(root);
  const run = async (cmd: string): Promise<void> => {
    // A login shell would read profiles first.
    const { exitCode, stderr } = await session.exec({ cmd, login: false });
    if (exitCode !== 0) throw new Error(`${cmd} in @openai/agents: ${stderr}`);
  };
  return {
    name: '@openai/agents',
    execTrue: () => run('true'),
    async readFile(path) {
      return (await session.readFile({ path })).length;
    },
    async writeFile(path, content) {
      await session.writeDockerTextFileAs(path, content);
    },
    async [Symbol.asyncDispose]() {
      await session.close();
    },
  };
}
