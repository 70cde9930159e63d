import assert from 'node:assert/strict';
import type { SdkCase } from './sdk-case.ts';

const AUTHOR = { authorName: 'Sandbox Bot', authorEmail: 'sandbox@example.com' };

/** The SDK's helpers for git, which only run commands: what they rely on is there. */
export const cases: readonly SdkCase[] = [
  {
    name: 'git: a repository with a commit, its state and its branches',
    needsRoot: true,
    async run({ sandbox }) {
      await sandbox.git.init('repository', { initialBranch: 'main' });
      await sandbox.files.write('repository/README.md', 'hello\n');
      const before = await sandbox.git.status('repository');
      assert.deepEqual(
        before.fileStatus.map(({ name, status }) => [name, status]),
        [['README.md', 'untracked']],
      );
      await sandbox.git.add('repository');
      await sandbox.git.commit('repository', 'Initial commit', AUTHOR);
      const after = await sandbox.git.status('repository');
      assert.deepEqual([after.currentBranch, after.isClean], ['main', true]);
      await sandbox.git.createBranch('repository', 'feature');
      const { branches, currentBranch } = await sandbox.git.branches('repository');
      assert.deepEqual([branches.toSorted(), currentBranch], [['feature', 'main'], 'feature']);
    },
  },
  {
    name: 'git: push to and clone from a server in the sandbox',
    needsRoot: true,
    async run({ sandbox }) {
      await sandbox.commands.run('mkdir -p served && git init -q --bare --initial-branch=main served/remote.git');
      const daemon = await sandbox.commands.run(
        'git daemon --reuseaddr --base-path=served --export-all --enable=receive-pack --listen=127.0.0.1 --port=9418',
        { background: true },
      );
      await sandbox.commands.run('until (echo >/dev/tcp/127.0.0.1/9418) 2>/dev/null; do sleep 0.1; done');
      const url = 'git://127.0.0.1:9418/remote.git';
      await sandbox.git.init('source', { initialBranch: 'main' });
      await sandbox.files.write('source/README.md', 'pushed\n');
      await sandbox.git.add('source');
      await sandbox.git.commit('source', 'Initial commit', AUTHOR);
      await sandbox.git.remoteAdd('source', 'origin', url);
      await sandbox.git.push('source', { remote: 'origin', branch: 'main', setUpstream: true });
      await sandbox.git.clone(url, { path: 'clone' });
      assert.equal(await sandbox.files.read('clone/README.md'), 'pushed\n');
      await daemon.kill();
      await daemon.wait().catch(() => undefined);
    },
  },
];
