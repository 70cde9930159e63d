import assert from 'node:assert/strict';
import type { SdkCase } from './sdk-case.ts';

/** What takes a disk of the sandbox's own, and the users and tools of a template. */
export const cases: readonly SdkCase[] = [
  {
    name: 'files: are the user’s, under the user’s home',
    needsRoot: true,
    async run({ sandbox: { files } }) {
      const { path } = await files.write('mine/f.txt', 'x');
      assert.equal(path, '/home/user/mine/f.txt');
      for (const info of [await files.getInfo('mine'), await files.getInfo('mine/f.txt')]) {
        assert.deepEqual([info.owner, info.group], ['user', 'user']);
      }
      const byRoot = await files.write('by-root.txt', 'x', { user: 'root' });
      assert.equal(byRoot.path, '/root/by-root.txt');
      assert.equal((await files.getInfo('/root/by-root.txt')).owner, 'root');
    },
  },
  {
    name: 'files: are written anywhere on the disk',
    needsRoot: true,
    async run({ sandbox: { files } }) {
      const written = ['/0/f.txt', '/srv/f.txt', '/home/user/f.txt'].map((path) => ({ path, data: path }));
      const infos = await files.write(written);
      for (const { path } of infos) assert.equal(await files.read(path), path);
    },
  },
  {
    name: 'files: what the template has brought along is renamed and removed',
    needsRoot: true,
    async run({ sandbox: { files } }) {
      const options = { user: 'root' };
      await files.rename('/etc/apt', '/opt/brought/apt', options);
      assert.ok((await files.list('/opt/brought/apt', options)).length > 0);
      assert.equal(await files.exists('/etc/apt', options), false);
      await files.remove('/opt/brought', options);
      assert.equal(await files.exists('/opt/brought', options), false);
    },
  },
  {
    name: 'files: metadata is what setfattr sets and getfattr shows',
    needsRoot: true,
    async run({ sandbox }) {
      const { path } = await sandbox.files.write('with-attributes', 'x', { metadata: { a: '1' } });
      await sandbox.commands.run(`setfattr -n user.e2b.author -v mish ${path}`);
      assert.deepEqual({ ...(await sandbox.files.getInfo(path)).metadata }, { a: '1', author: 'mish' });
      const { stdout } = await sandbox.commands.run(`getfattr --only-values -n user.e2b.a ${path}`);
      assert.equal(stdout.trim(), '1');
    },
  },
];
