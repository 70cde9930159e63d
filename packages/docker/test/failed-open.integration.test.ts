import { writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '@agent-workspace/gateway-client';
import { describe, expect, it } from 'vitest';
import { DockerWorkspace } from '../src/index.ts';
import { hasDocker } from './engine.ts';
import { readText, useDocker } from './use-docker.ts';

/** Its container comes up, and its gateway does not. */
class WithoutGateway extends DockerWorkspace {
  /** Done in between. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();

  protected override createSandbox(): Sandbox {
    const sandbox = super.createSandbox();
    const startWith = sandbox.startWith?.bind(sandbox);
    sandbox.startWith = async (command, options) => {
      const started = await startWith?.(command, options);
      await this.meanwhile();
      return { start: started?.start ?? 'found', ran: { exitCode: 1, stdout: '', stderr: 'no gateway' } };
    };
    return sandbox;
  }
}

describe.skipIf(!hasDocker)('an opening that fails', () => {
  const tests = useDocker();
  const network = 'none';

  it('takes its directory back, and leaves the one above to the workspaces that are there by now', async () => {
    const { managerId, directory } = tests;
    const failing = new WithoutGateway({ managerId, network, workdir: join(directory, 'data/a') });
    failing.meanwhile = async () => {
      const other = await tests.open({ network, workdir: 'data/b' });
      await other.backend.writeFile('/workspace/file', 'of another workspace');
      await writeFile(join(directory, 'data/a/seeded'), 'of this one');
    };
    await expect(failing.initialize()).rejects.toMatchObject({ code: 'gateway-start-failed' });
    expect(await readdir(join(directory, 'data'))).toStrictEqual(['b']);
    const [other] = tests.opened;
    expect(other && (await readText(other, '/workspace/file'))).toBe('of another workspace');
    expect(await tests.containers()).toHaveLength(1);
  });

  it('leaves what someone has put into its directory before there was a container', async () => {
    const { managerId, directory } = tests;
    const workdir = join(directory, 'early/a');
    const opening = DockerWorkspace.open({
      managerId,
      workdir,
      extraPip: ['./there-is-no-such-package'],
      onEvent: ({ type }) => {
        if (type === 'build-progressed') writeFileSync(join(workdir, 'file'), 'of the user');
      },
    });
    await expect(opening).rejects.toMatchObject({ code: 'image-build-failed' });
    expect(await readFile(join(workdir, 'file'), 'utf8')).toBe('of the user');
  });

  it('takes the directories back that nobody has put anything into', async () => {
    const { managerId, directory } = tests;
    const workdir = join(directory, 'unused/a');
    const opening = DockerWorkspace.open({ managerId, workdir, extraPip: ['./there-is-no-such-package'] });
    await expect(opening).rejects.toMatchObject({ code: 'image-build-failed' });
    expect(await readdir(directory)).not.toContain('unused');
  });
});
