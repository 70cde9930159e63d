import { chmod, stat } from 'node:fs/promises';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { expect, it } from 'vitest';
import { LocalBackend } from '../local-backend.ts';

it('passes on no set-gid bit of a directory that its group shares', async () => {
  await using directory = await TemporaryDirectory.create();
  await chmod(directory.path, 0o2775);
  const backend = new LocalBackend({ workdir: directory.path });
  await backend.writeTree('t', [{ kind: 'directory', path: 'd' }]);
  const modes = await Promise.all(['t', 't/d'].map(async (name) => (await stat(directory.at(name))).mode & 0o7000));
  expect(modes).toStrictEqual([0, 0]);
  await backend.close();
});
