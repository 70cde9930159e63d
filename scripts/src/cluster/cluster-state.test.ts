import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterFolder, clusterFolder } from './cluster-folder.ts';
import { type ClusterState, readState, writeState } from './cluster-state.ts';

const STATE: ClusterState = {
  version: 1,
  bootId: 'b8904cea-7469-438c-bce3-c7d5377d04c1',
  programsDirectory: '/somewhere/bin/v1',
  slot: 3,
  sysctls: { 'kernel/panic': '1' },
  needsForwardRule: true,
};

describe('the state file', () => {
  let directory: string;
  let folder: ClusterFolder;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'aw-cluster-'));
    folder = clusterFolder(directory);
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is read as it was written', async () => {
    await writeState(folder, STATE);
    expect(await readState(folder)).toEqual(STATE);
    expect(await readdir(folder.runDirectory)).toEqual(['state.json']);
  });

  it('is not there where no cluster was started', async () => {
    expect(await readState(folder)).toBeUndefined();
  });

  it('is not believed if it is another one', async () => {
    await writeState(folder, STATE);
    await writeFile(folder.stateFile, '{"version":2}');
    await expect(readState(folder)).rejects.toThrow('version');
  });
});
